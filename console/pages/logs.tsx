// The latest entries of the server log, updated live. They contain untrusted text.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count } from "../data/text.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
const MAX_LINES = 1000;
const MAX_TEXT = 2500;
const LEVELS = ["error", "warn", "info", "debug"];
const TONES: ReadonlyMap<string, string> = new Map([
  ["error", "bad"],
  ["warn", "warn"],
]);

interface Line {
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  readonly level: string;
  readonly text: string;
}

/** Returns the lines so far; polls for newer ones. */
function useLines(): readonly Line[] {
  const next = useRef(0);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const path = useMemo(() => () => `svc/log?after=${next.current}`, []);
  useLive(path, EVERY_MS, (answer, isGap) => {
    if (isGap) return;
    const before = next.current;
    next.current = numberAt(answer, "next");
    const came = listAt(answer, "lines");
    // A restarted server counts from one again.
    const kept = (old: readonly Line[]) => (next.current < before ? [] : old);
    if (came.length === 0) return;
    const added = came.map((one) => ({
      number: numberAt(one, "number"),
      at: numberAt(one, "at"),
      thread: numberAt(one, "thread"),
      level: textAt(one, "level"),
      text: textAt(one, "text"),
    }));
    setLines((old) => [...kept(old), ...added].slice(-MAX_LINES));
  });
  return lines;
}

export function Logs() {
  const lines = useLines();
  const { params } = currentRoute.value;
  const wanted = params.get("text") ?? "";
  const level = params.get("level") ?? "";
  const isFollowed = params.get("follow") !== "no";
  const list = useRef<HTMLElement>(null);
  const least = level === "" ? LEVELS.length : LEVELS.indexOf(level);
  const found = lines.filter(
    (line) =>
      LEVELS.indexOf(line.level) <= least && line.text.toLowerCase().includes(wanted.toLowerCase()),
  );
  useEffect(() => {
    const element = list.current!;
    if (isFollowed) element.scrollTop = element.scrollHeight;
  }, [found.length, lines, isFollowed]);
  return (
    <>
      <Filter wanted={wanted} level={level} isFollowed={isFollowed} />
      <p class="soft">
        {count(found.length)} of the last {count(lines.length)} entries
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section class="card log" tabIndex={0} aria-label="Log entries" ref={list}>
        {found.map(({ number, at, thread, level: of, text }) => (
          <div key={number}>
            <span class="soft">
              {new Date(at).toLocaleTimeString()} thread {thread}
            </span>{" "}
            <span class={TONES.get(of) ?? "quiet"}>{clipForDisplay(of, 10)}</span>{" "}
            <LineText text={text} />
          </div>
        ))}
      </section>
    </>
  );
}

/** Keeps line feeds, so that stack traces stay readable. */
function LineText({ text }: { readonly text: string }) {
  const clipped = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return (
    <>
      {clipped
        .split("\n")
        .map((part) => clipForDisplay(part, MAX_TEXT))
        .join("\n")}
    </>
  );
}

interface FilterProps {
  readonly wanted: string;
  readonly level: string;
  readonly isFollowed: boolean;
}

function Filter({ wanted, level, isFollowed }: FilterProps) {
  return (
    <form class="card row" onSubmit={(event) => event.preventDefault()}>
      <label>
        Contains{" "}
        <input
          id="log-text"
          value={wanted}
          onInput={(event) => saveStatePart("text", event.currentTarget.value)}
        />
      </label>
      <label>
        Level{" "}
        <select
          value={level}
          onChange={(event) => saveStatePart("level", event.currentTarget.value)}
        >
          <option value="">all</option>
          {LEVELS.slice(0, -1).map((name) => (
            <option key={name} value={name}>
              {name === "error" ? name : `${name} and above`}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={isFollowed}
          onChange={(event) => saveStatePart("follow", event.currentTarget.checked ? "" : "no")}
        />{" "}
        Follow
      </label>
    </form>
  );
}
