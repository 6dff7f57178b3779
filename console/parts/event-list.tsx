// The latest state changes: Service-IN and Service-OUT, threads and back-ends that failed or
// recovered.

import { useMemo, useRef, useState } from "preact/hooks";
import type { State } from "../data/instance-state.js";
import { nameAddress } from "../data/instances.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { systemView } from "../data/system-view.js";
import { clipForDisplay, clockTime } from "../data/text.js";
import { Badge } from "./badge.js";
import { PageLink } from "./page-link.js";

const EVERY_MS = 2000;
const MAX_EVENTS = 6;
/** Matches events of back-ends, which start with the address. */
const BACK_END_EVENT = /^back-end (\S+) \(partition \d+, replica \d+\) (.*)$/s;
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
    const added = listAt(answer, "events");
    if (added.length > 0) setEvents((old) => [...added].reverse().concat(old).slice(0, MAX_EVENTS));
  });
  return (
    <section class="card" aria-label="Events">
      <header>
        <h2>Events</h2>
        <span class="end">
          <PageLink to="logs">Log</PageLink>
        </span>
      </header>
      {events.length === 0 && <p class="soft none">No state changes yet.</p>}
      <ol class="events">
        {events.map((event) => {
          const { tone, word, text } = describe(event);
          return (
            <li key={numberAt(event, "number")}>
              <Badge state={{ tone, word }} />
              <span class="s msg">{text}</span>
              <time class="tn faint s">{clockTime(numberAt(event, "at"))}</time>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Describes an event; names back-ends by instance, and marks recovered ones as ok. */
function describe(event: unknown): { tone: State["tone"]; word: string; text: string } {
  const tone = TONES.get(textAt(event, "level")) ?? "ok";
  const full = textAt(event, "text");
  const [, address = "", rest = ""] = BACK_END_EVENT.exec(full) ?? [];
  if (address === "") {
    const word = clipForDisplay(textAt(event, "subject") || textAt(event, "kind"), 40);
    return { tone, word, text: clipForDisplay(full, 200) };
  }
  return {
    tone: rest === "is back" ? "ok" : tone,
    word: clipForDisplay(nameAddress(systemView.value.instances, address), 40),
    text: clipForDisplay(rest, 200),
  };
}
