// The latest state changes: services that went in and out, threads and back-ends that died and came
// back.

import { useMemo, useRef, useState } from "preact/hooks";
import type { State } from "../data/instance-state.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, clockTime } from "../data/text.js";
import { Badge } from "./badge.js";
import { PageLink } from "./page-link.js";

const EVERY_MS = 2000;
const MAX_EVENTS = 8;
const TONES: ReadonlyMap<string, State["tone"]> = new Map([
  ["error", "err"],
  ["warn", "warn"],
]);

export function EventList() {
  const next = useRef(0);
  const [events, setEvents] = useState<readonly unknown[]>([]);
  const path = useMemo(() => () => `svc/events?after=${next.current}`, []);
  useLive(path, EVERY_MS, (answer, isGap) => {
    if (isGap) return;
    next.current = numberAt(answer, "next");
    const came = listAt(answer, "events");
    if (came.length > 0) setEvents((old) => [...came].reverse().concat(old).slice(0, MAX_EVENTS));
  });
  return (
    <section class="card" aria-label="Events">
      <header>
        <h2>Events</h2>
        <span class="end">
          <PageLink to="logs">Log</PageLink>
        </span>
      </header>
      {events.length === 0 && <p class="soft none">Nothing has changed its state.</p>}
      <ol class="events">
        {events.map((event) => (
          <li key={numberAt(event, "number")}>
            <Badge
              state={{
                tone: TONES.get(textAt(event, "level")) ?? "ok",
                word: clipForDisplay(textAt(event, "subject") || textAt(event, "kind"), 40),
              }}
            />
            <time class="tn soft s">{clockTime(numberAt(event, "at"))}</time>
            <span class="s">{clipForDisplay(textAt(event, "text"), 200)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
