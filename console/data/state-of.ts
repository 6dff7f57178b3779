// The state of an instance in one word, from its `nodestat`: the first rule that holds tells it.
// Rules about replication follow when instances replicate.

import { isAt, numberAt } from "./node-stat.js";

export interface State {
  readonly word: string;
  readonly tone: "good" | "warn" | "bad" | "quiet";
  /** Asks for somebody's attention. */
  readonly isWarning: boolean;
}

type Rule = (node: unknown) => State | null;

const SIGNS = { good: "●", warn: "▲", bad: "■", quiet: "○" } as const;

/** A sign that tells the tone without its colour. */
export function signOf({ tone }: State): string {
  return SIGNS[tone];
}

const rule =
  (
    holds: (node: unknown) => boolean,
    word: string,
    tone: State["tone"],
    isWarning: boolean,
  ): Rule =>
  (node) =>
    holds(node) ? { word, tone, isWarning } : null;

const memory =
  (above: number, start: string, tone: State["tone"], isWarning: boolean): Rule =>
  (node) => {
    const used = memoryUse(node);
    return used > above ? { word: `${start} ${Math.round(used)}%`, tone, isWarning } : null;
  };

/** Percent of the host's memory that is in use. */
export function memoryUse(node: unknown): number {
  const total = numberAt(node, "memory-total");
  return total > 0 ? 100 * (1 - numberAt(node, "memory-available") / total) : 0;
}

const RULES: readonly Rule[] = [
  rule((node) => node === undefined, "Down", "bad", true),
  rule((node) => node === null, "Waiting", "quiet", false),
  memory(93, "! MEM", "bad", true),
  (node) =>
    isAt(node, "synchronizing")
      ? { word: `Sync ${numberAt(node, "sync-progress")}%`, tone: "quiet", isWarning: false }
      : null,
  rule((node) => isAt(node, "snapshot-writing"), "Snapshot", "quiet", false),
  rule((node) => !isAt(node, "ready"), "Starting", "quiet", false),
  memory(90, "! MEM", "bad", true),
  memory(83, "Mem", "warn", true),
  rule((node) => !isAt(node, "service-in"), "S-OUT", "warn", true),
  rule((node) => isAt(node, "readonly"), "Readonly", "quiet", false),
  memory(80, "Memory", "quiet", false),
];

/** @param node `nodestat`; undefined when there is no answer, null when none has come yet */
export function stateOf(node: unknown): State {
  for (const find of RULES) {
    const state = find(node);
    if (state !== null) return state;
  }
  return { word: "OK", tone: "good", isWarning: false };
}
