// The latest entries of the server log, updated live: facets of level and thread, and when they
// were written. Entries contain untrusted text.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { State } from "../data/instance-state.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { systemView } from "../data/system-view.js";
import { clipForDisplay, count, preciseTime, showLines } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { CheckFacets, type FacetGroup } from "../parts/check-facets.js";
import { type Column, DataTable } from "../parts/data-table.js";
import { PageHead } from "../parts/page-head.js";
import { Spark } from "../parts/spark.js";
import { currentRoute, saveStatePart } from "../router.js";

const EVERY_MS = 1000;
const MAX_LINES = 1000;
const MAX_TEXT = 2500;
const STEPS = 30;
const TONES: ReadonlyMap<string, State["tone"]> = new Map([
  ["error", "err"],
  ["warn", "warn"],
]);

interface Line {
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  readonly level: string;
  readonly text: string;
}

/** Returns the lines of an instance so far; polls for newer ones. */
function useLines(instance: string): readonly Line[] {
  const next = useRef(0);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const path = useMemo(() => {
    const of = instance === "" ? "" : `&${new URLSearchParams({ instance })}`;
    next.current = 0;
    return () => `svc/log?after=${next.current}${of}`;
  }, [instance]);
  useEffect(() => setLines([]), [instance]);
  useLive(path, EVERY_MS, (answer, isGap) => {
    if (isGap) return;
    const before = next.current;
    next.current = numberAt(answer, "next");
    const came = listAt(answer, "lines");
    // A restarted server counts from one again.
    const kept = (old: readonly Line[]) => (next.current < before ? [] : old);
    if (came.length === 0) return;
    const added = came.map((line) => ({
      number: numberAt(line, "number"),
      at: numberAt(line, "at"),
      thread: numberAt(line, "thread"),
      level: textAt(line, "level"),
      text: textAt(line, "text"),
    }));
    setLines((old) => [...kept(old), ...added].slice(-MAX_LINES));
  });
  return lines;
}

export function Logs() {
  const { params } = currentRoute.value;
  const instance = params.get("instance") ?? "";
  const lines = useLines(instance);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const filter = params.get("text") ?? "";
  const filtered = lines.filter((line) => fits(line, filter));
  const groups = [
    facet("Level", filtered, ({ level }) => level),
    facet("Thread", filtered, ({ thread }) => String(thread)),
  ];
  const found = filtered.filter((line) => groups.every((group) => group.has(line, chosen)));
  return (
    <>
      <PageHead
        title="Logs"
        about={`${count(found.length)} of the last ${count(lines.length)} entries`}
      >
        <InstanceChoice instance={instance} />
        <input
          id="log-text"
          data-filter
          aria-label="Filter entries"
          placeholder="level:warn thread:2 back-end"
          value={filter}
          onInput={(event) => saveStatePart("text", event.currentTarget.value)}
        />
      </PageHead>
      <div class="two">
        <div class="stack">
          <CheckFacets groups={groups} chosen={chosen} onChoose={setChosen} />
          <When lines={found} />
        </div>
        <section class="card" aria-label="Log entries">
          <DataTable
            label="Entries"
            columns={COLUMNS}
            rows={[...found].reverse()}
            keyOf={({ number }) => number}
            empty="No entry matches."
          />
        </section>
      </div>
    </>
  );
}

/** Links to other instances of the system, whose logs this one requests. */
function InstanceChoice({ instance }: { readonly instance: string }) {
  const { id: own, instances } = systemView.value;
  if (instances.length < 2) return null;
  return (
    <select
      aria-label="Instance"
      value={instance === "" ? own : instance}
      onChange={({ currentTarget: { value } }) =>
        saveStatePart("instance", value === own ? "" : value)
      }
    >
      {instances.map(({ id }) => (
        <option key={id} value={id}>
          {clipForDisplay(id, 40)}
        </option>
      ))}
    </select>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  { title: "Time", cell: ({ at }) => <span class="tn soft">{preciseTime(at)}</span> },
  {
    title: "Level",
    cell: ({ level }) => (
      <Badge state={{ tone: TONES.get(level) ?? "unk", word: clipForDisplay(level, 10) }} />
    ),
  },
  { title: "Thread", isNumber: true, isOptional: true, cell: ({ thread }) => thread },
  { title: "Entry", cell: ({ text }) => <LineText text={text} /> },
];

/** Returns whether a line matches words such as `level:warn` and `thread:2`, and other text. */
function fits({ level, thread, text }: Line, filter: string): boolean {
  const rest = filter.split(/\s+/).filter((word) => {
    const [, key, value] = /^(level|thread):(.*)$/.exec(word) ?? [];
    if (key === undefined) return true;
    return !(key === "level" ? level.startsWith(value!) : String(thread) === value);
  });
  const isRefused = rest.some((word) => /^(level|thread):/.test(word));
  return !isRefused && text.toLowerCase().includes(rest.join(" ").trim().toLowerCase());
}

type LineFacet = FacetGroup & { has(line: Line, chosen: ReadonlySet<string>): boolean };

function facet(title: string, lines: readonly Line[], read: (line: Line) => string): LineFacet {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(read(line), (counts.get(read(line)) ?? 0) + 1);
  const values = [...counts].sort((a, b) => b[1] - a[1]);
  return {
    ...{ title, values },
    has(line, chosen) {
      const chosenHere = [...chosen].filter((key) => key.startsWith(`${title}:`));
      return chosenHere.length === 0 || chosenHere.includes(`${title}:${read(line)}`);
    },
  };
}

/** Chart of the number of entries over time. */
function When({ lines }: { readonly lines: readonly Line[] }) {
  const [first] = lines;
  if (first === undefined) return null;
  const span = Math.max(1, Date.now() - first.at);
  const counts = new Array<number>(STEPS).fill(0);
  for (const { at } of lines) {
    counts[Math.min(STEPS - 1, Math.floor(((at - first.at) * STEPS) / span))]!++;
  }
  return (
    <section class="card" aria-label="Entries over time">
      <h2 class="h">When</h2>
      <Spark values={counts} label={`${count(lines.length)} entries over time`} />
      <p class="faint xs">since {preciseTime(first.at)}</p>
    </section>
  );
}

/** Keeps line breaks, so that stack traces stay readable. */
function LineText({ text }: { readonly text: string }) {
  const clipped = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return <span class="entry">{showLines(clipped)}</span>;
}
