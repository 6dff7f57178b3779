// What both ends tell each other of their graphs when they meet.

import { GRAPH_NAME } from "../../base/graph-names.js";
import { MAX_GRAPHS } from "../../base/limits.js";
import { malformedMessage } from "./messages.js";

/** How far a subscriber has come. */
export interface Positions {
  /** The log that all came from, and its last frame so far; null: nothing has come yet. */
  readonly log: { readonly id: string; readonly sn: number; readonly chain: number } | null;
  /** Log of the first provider, through whomever it came; null: nothing has come yet. */
  readonly origin: string | null;
  /** The highest that it has heard of. */
  readonly epoch: number;
  readonly graphs: readonly Position[];
  /** Identities of graphs that were found to differ from the provider's. */
  readonly diverged: readonly string[];
}

/** What there is of a graph after so many operations. */
export interface Position {
  readonly identity: string;
  readonly count: number;
  /** Of the contents; null: it is not known, or not now. */
  readonly digest: string | null;
}

/** A graph of the provider. */
export interface OfferedGraph {
  readonly number: number;
  readonly identity: string;
  readonly name: string;
  /** Folder below the root, with `/`. */
  readonly path: string;
}

/** What a provider begins with. */
export interface Offer {
  readonly logId: string;
  /** True: no other instance provides what this one has. */
  readonly isRoot: boolean;
  /** Log of the first provider. */
  readonly origin: string;
  readonly epoch: number;
  readonly graphs: readonly OfferedGraph[];
  /** Graphs with numbers up to this one that are not offered were erased. */
  readonly lastNumber: number;
  /** Identities of graphs that the subscriber has, and that were erased. */
  readonly erased: readonly string[];
}

/** A graph that comes as a snapshot, in place of whatever the subscriber has. */
export interface SnapshotHead extends OfferedGraph {
  readonly bytes: number;
  /** Operations of the graph that it holds. */
  readonly count: number;
  /** Bytes of what it has on disk beside its snapshot: values, each behind its length. */
  readonly values?: number;
}

/** Behind the snapshots: all up to this unit of the provider's log was sent, or was there. */
export interface Start {
  readonly sn: number;
  /** The last word of the frame that ends there. */
  readonly chain: number;
}

const IDENTITY = /^[0-9a-f]{32}$/;

/** @throws SvcError SVC2531 */
export function parsePositions(given: unknown): Positions {
  const { log, origin = null, epoch, graphs, diverged } = (given ?? {}) as Partial<Positions>;
  if (log !== null && !isLogPosition(log)) throw malformedMessage("no position in a log");
  if (!isCount(epoch) || !(origin === null || isIdentity(origin)))
    throw malformedMessage("no epoch");
  if (!isPositions(graphs)) throw malformedMessage("no positions of graphs");
  if (!Array.isArray(diverged) || diverged.length > MAX_GRAPHS || !diverged.every(isIdentity)) {
    throw malformedMessage("no graphs that differ");
  }
  return { log: log ?? null, origin, epoch, graphs, diverged };
}

/** @throws SvcError SVC2531 */
export function parseOffer(given: unknown): Offer {
  const { logId, isRoot, origin, epoch, graphs, lastNumber, erased } = (given ??
    {}) as Partial<Offer>;
  const isOffer =
    isIdentity(logId) && isIdentity(origin) && Array.isArray(graphs) && Array.isArray(erased);
  if (!isOffer || !graphs.every(isOffered) || !erased.every(isIdentity))
    throw malformedMessage("no offer");
  if (!isCount(lastNumber) || !isCount(epoch) || typeof isRoot !== "boolean")
    throw malformedMessage("no offer");
  return { logId, isRoot, origin, epoch, graphs, lastNumber, erased };
}

/** @throws SvcError SVC2531 */
export function parseSnapshotHead(given: unknown): SnapshotHead {
  const head = (given ?? {}) as SnapshotHead;
  const isCounted = isCount(head.bytes) && isCount(head.count) && isCount(head.values ?? 0);
  if (!isOffered(head) || !isCounted) throw malformedMessage("no head of a snapshot");
  return head;
}

/** @throws SvcError SVC2531 */
export function parseStart(given: unknown): Start {
  const { sn, chain } = (given ?? {}) as Partial<Start>;
  if (!isCount(sn) || !isCount(chain)) throw malformedMessage("no start of a log");
  return { sn, chain };
}

export function isOffered(given: unknown): given is OfferedGraph {
  const { number, identity, name, path } = (given ?? {}) as Partial<OfferedGraph>;
  const isNamed = typeof name === "string" && GRAPH_NAME.test(name) && typeof path === "string";
  return isNamed && isCount(number) && isIdentity(identity);
}

export function isLogPosition(given: unknown): given is NonNullable<Positions["log"]> {
  const { id, sn, chain } = (given ?? {}) as Record<string, unknown>;
  return isIdentity(id) && isCount(sn) && isCount(chain);
}

export function isPositions(given: unknown): given is readonly Position[] {
  return Array.isArray(given) && given.length <= MAX_GRAPHS && given.every(isPosition);
}

function isPosition(given: unknown): given is Position {
  const { identity, count, digest } = (given ?? {}) as Partial<Position>;
  return isIdentity(identity) && isCount(count) && (digest === null || isIdentity(digest));
}

function isIdentity(given: unknown): given is string {
  return typeof given === "string" && IDENTITY.test(given);
}

function isCount(given: unknown): given is number {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}
