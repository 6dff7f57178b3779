// Determines the state of an instance from the system overview: the first matching rule decides.

import { isAt, listAt, numberAt, textAt } from "./node-stat.js";

export interface State {
  readonly word: string;
  readonly tone: "ok" | "warn" | "err" | "unk";
  /** Whether it needs attention. */
  readonly isWarning: boolean;
}

/** An instance in its context. */
interface Seen {
  /** `nodestat`. */
  readonly node: unknown;
  /** Its overview entry: for a dispatcher, the state of its matrix. */
  readonly entry: unknown;
  /** `nodestat` of its provider; null: it has none. */
  readonly provider: unknown;
  /** True if each recent sample contained changes. */
  readonly isBusy: boolean;
}

type Rule = (seen: Seen) => State | null;

/** Maximum time for which changes may be in transit. */
const QUIET_MS = 30_000;
/** Number of missing changes from which a replica counts as lagging. */
const FAR_BEHIND = 1000;

const warning = (word: string, tone: State["tone"] = "warn") => ({ word, tone, isWarning: true });
const notice = (word: string) => ({ word, tone: "unk" as const, isWarning: false });

const when =
  (holds: (seen: Seen) => boolean, state: State): Rule =>
  (seen) =>
    holds(seen) ? state : null;

const memory =
  (above: number, start: string, tone: State["tone"], isWarning: boolean): Rule =>
  ({ node }) => {
    const used = memoryUse(node);
    return used > above ? { word: `${start} ${Math.round(used)}%`, tone, isWarning } : null;
  };

/** Percent of the host's memory that is in use. */
function memoryUse(node: unknown): number {
  const total = numberAt(node, "memory-total");
  return total > 0 ? 100 * (1 - numberAt(node, "memory-available") / total) : 0;
}

/** Returns whether a dispatcher lacks something; entries of other instances have no such field. */
const lacks = (entry: unknown, field: string): boolean =>
  typeof entry === "object" && entry !== null && field in entry && !isAt(entry, field);

/** Returns whether a replica with a known provider has received no changes for a while. */
const isQuietReplica = ({ node, provider }: Seen): boolean =>
  provider !== null && provider !== undefined && numberAt(node, "idle-ms") > QUIET_MS;

const REPLICA_STATES: Readonly<Record<string, string>> = {
  waiting: "No Input",
  fetching: "Catch-up",
  "catching-up": "Catch-up",
  diverged: "Differs",
  fenced: "Fenced",
  rewinding: "Rewinding",
};

/** Says why an instance is not ready. */
function describeReplica(node: unknown): string {
  const { replica } = (node ?? {}) as { readonly replica?: { readonly state?: string } };
  return REPLICA_STATES[replica?.state ?? ""] ?? "Starting";
}

/** It responds, but late, or not to all requests. */
const SLOW = warning("Slow");

const RULES: readonly Rule[] = [
  when(({ node, entry }) => node === undefined && isAt(entry, "slow"), SLOW),
  when(({ node }) => node === undefined, warning("Down", "err")),
  when(({ node }) => node === null, notice("Waiting")),
  memory(93, "! MEM", "err", true),
  ({ node }) =>
    isAt(node, "synchronizing") ? notice(`Sync ${numberAt(node, "sync-progress")}%`) : null,
  when(({ node }) => isAt(node, "snapshot-writing"), notice("Snapshot")),
  ({ node }) => (isAt(node, "ready") ? null : notice(describeReplica(node))),
  memory(90, "! MEM", "err", true),
  memory(83, "Mem", "warn", true),
  when(({ entry }) => isAt(entry, "slow"), SLOW),
  when(({ node }) => !isAt(node, "service-in"), warning("S-OUT")),
  when(({ node }) => textAt(node, "log-state") === "full", warning("Disk full", "err")),
  when(({ node }) => textAt(node, "log-state") === "failed", warning("Log failed", "err")),
  when(({ node }) => textAt(node, "log-state") === "low", warning("Disk low")),
  when(({ entry }) => lacks(entry, "matrix-complete"), warning("Partial")),
  when(({ entry }) => isAt(entry, "matrix-degraded"), warning("Degraded")),
  when(({ entry }) => lacks(entry, "matrix-consistent"), warning("OK/Delta")),
  when(({ node, provider }) => isAt(node, "readonly") && provider === null, notice("Readonly")),
  when(
    ({ node }) => numberAt(node, "txport") > 0 && textAt(node, "provider") === "",
    warning("No Input"),
  ),
  when(
    (seen) => isQuietReplica(seen) && textAt(seen.node, "digest") !== digestOf(seen.provider),
    warning("OK/Delta"),
  ),
  behind,
  when((seen) => lagMs(seen) > QUIET_MS || seen.isBusy, notice("Busy")),
  memory(80, "Memory", "unk", false),
];

const digestOf = (node: unknown): string => textAt(node, "digest");

function behind(seen: Seen): State | null {
  if (!isQuietReplica(seen)) return null;
  const lag = serialOf(seen.provider) - serialOf(seen.node);
  if (Math.abs(lag) <= 1) return null;
  const isNear = Math.abs(lag) < FAR_BEHIND;
  return isNear ? { ...warning(`S/N ${-lag}`), tone: "ok" } : warning("S/N");
}

function serialOf(node: unknown): number {
  return Number(textAt(node, "master-serial")) || 0;
}

/** Returns the lag of an instance according to its provider. */
function lagMs({ node, provider }: Seen): number {
  const port = numberAt(node, "adminport");
  const peer = listAt(provider, "subscribers").find(
    (subscriber) => numberAt(subscriber, "adminport") === port,
  );
  return numberAt(peer, "lag_ms");
}

/**
 * @param node `nodestat`; undefined without a response, null before the first
 * @param entry its entry in the overview
 * @param provider `nodestat` of its provider, null without one
 * @param isBusy whether each recent sample saw changes
 */
export function instanceState(
  node: unknown,
  entry: unknown = null,
  provider: unknown = null,
  isBusy = false,
): State {
  for (const find of RULES) {
    const state = find({ node, entry, provider, isBusy });
    if (state !== null) return state;
  }
  return { word: "OK", tone: "ok", isWarning: false };
}
