// The latest state changes: services that went in and out, threads and back-ends that died and came
// back.

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
/** Texts about back-ends, which start with their address. */
const OF_BACK_END = /^back-end (\S+) \(partition \d+, replica \d+\) (.*)$/s;
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

/** A back-end has the name of its instance; one that is back needs no attention. */
function describe(event: unknown): { tone: State["tone"]; word: string; text: string } {
  const tone = TONES.get(textAt(event, "level")) ?? "ok";
  const full = textAt(event, "text");
  const [, address = "", rest = ""] = OF_BACK_END.exec(full) ?? [];
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
