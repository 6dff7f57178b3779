// JSON messages: positions of a subscriber, the offer of a provider, and the status that both send
// every two seconds.

import { GRAPH_NAME } from "../../base/graph-names.js";
import { MAX_GRAPHS } from "../../base/limits.js";
import { type Incarnation, isIncarnation } from "../leadership/leadership.js";
import { malformedMessage } from "./messages.js";

/** Position of a subscriber. */
export interface Positions {
  /** The log it follows and its last frame so far; null: nothing received yet. */
  readonly log: LogPosition | null;
  /** Log id of the root provider, across any chain of replicas; null: nothing received yet. */
  readonly origin: string | null;
  /** Highest epoch seen. */
  readonly epoch: number;
  readonly graphs: readonly Position[];
  /** Identities of graphs found to differ from the provider's. */
  readonly diverged: readonly string[];
  /** Which member of a group it is; null: of none. */
  readonly member?: Incarnation | null;
}

/** State of a graph after `count` operations. */
export interface Position {
  readonly identity: string;
  readonly count: number;
  /** Digest of the contents; null: not available. */
  readonly digest: string | null;
}

/** A graph of the provider. */
export interface OfferedGraph {
  readonly number: number;
  readonly identity: string;
  readonly name: string;
  /** Folder relative to the data folder, with `/`. */
  readonly path: string;
}

/** Offer of a provider. */
export interface Offer {
  readonly logId: string;
  /** True if the provider follows no other instance. */
  readonly isRoot: boolean;
  /** Log id of the root provider. */
  readonly origin: string;
  readonly epoch: number;
  readonly graphs: readonly OfferedGraph[];
  /** Graphs with numbers up to this one that are not offered were erased. */
  readonly lastNumber: number;
  /** Identities of the subscriber's graphs that were erased. */
  readonly erased: readonly string[];
  /** Last transaction at this moment; null: the provider is not caught up itself. */
  readonly goal: number | null;
  /** Ends of the logs that the provider's log descends from. */
  readonly ancestors?: readonly Ancestor[];
}

/** A position in a log. */
export interface LogPosition {
  readonly id: string;
  readonly sn: number;
  readonly chain: number;
}

/** End of a log that another instance continued. */
export interface Ancestor extends LogPosition {
  /** Operations of the graphs there, by identity; undefined: not known. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Header of a snapshot that replaces the subscriber's graph. */
export interface SnapshotHead extends OfferedGraph {
  readonly bytes: number;
  /** Operation count of the snapshot. */
  readonly count: number;
  /** Bytes of external values, each prefixed by its length. */
  readonly values?: number;
}

/** Ends the snapshots: transactions up to `sn` were sent or are present. */
export interface Start {
  readonly sn: number;
  /** Last word of the frame that ends there. */
  readonly chain: number;
}

/** A replica that missed more promotions must start from an empty data folder. */
export const MAX_ANCESTORS = 16;
/** Also the form of a digest. */
const IDENTITY = /^[0-9a-f]{32}$/;
const HOST = /^[\w.:-]{0,255}$/;

/** @throws SvcError SVC2531 */
export function parsePositions(given: unknown): Required<Positions> {
  const {
    log,
    origin = null,
    epoch,
    graphs,
    diverged,
    member = null,
  } = (given ?? {}) as Partial<Positions>;
  if (log !== null && !isLogPosition(log)) throw malformedMessage("no position in a log");
  if (!isCount(epoch) || !(origin === null || isIdentity(origin)))
    throw malformedMessage("no epoch");
  if (!isPositions(graphs)) throw malformedMessage("no positions of graphs");
  if (!Array.isArray(diverged) || diverged.length > MAX_GRAPHS || !diverged.every(isIdentity)) {
    throw malformedMessage("no graphs that differ");
  }
  if (member !== null && !isIncarnation(member)) throw malformedMessage("no member");
  return { log, origin, epoch, graphs, diverged, member };
}

/** @throws SvcError SVC2531 */
export function parseOffer(given: unknown): Offer {
  const { logId, isRoot, origin, epoch, graphs, lastNumber, erased, goal } = (given ??
    {}) as Partial<Offer>;
  const { ancestors = [] } = (given ?? {}) as Partial<Offer>;
  const isOffer =
    isIdentity(logId) && isIdentity(origin) && Array.isArray(graphs) && Array.isArray(erased);
  if (!isOffer || !graphs.every(isOffered) || !erased.every(isIdentity))
    throw malformedMessage("no offer");
  if (!isCount(lastNumber) || !isCount(epoch) || typeof isRoot !== "boolean")
    throw malformedMessage("no offer");
  const areAncestors = Array.isArray(ancestors) && ancestors.length <= MAX_ANCESTORS;
  if (!areAncestors || !ancestors.every(isAncestor)) throw malformedMessage("no ancestors");
  const offer = { logId, isRoot, origin, epoch, graphs, lastNumber, erased, ancestors };
  return { ...offer, goal: parseGoal(goal) };
}

/** @throws SvcError SVC2531 */
function parseGoal(given: unknown): number | null {
  if (given === null || isCount(given)) return given;
  throw malformedMessage("no goal");
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

function isLogPosition(given: unknown): given is NonNullable<Positions["log"]> {
  const { id, sn, chain } = (given ?? {}) as Record<string, unknown>;
  return isIdentity(id) && isCount(sn) && isCount(chain);
}

export function isAncestor(given: unknown): given is Ancestor {
  const { counts = {} } = Object(given) as Partial<Ancestor>;
  if (!isLogPosition(given) || typeof counts !== "object" || counts === null) return false;
  const all = Object.entries(counts);
  return all.length <= MAX_GRAPHS && all.every(([id, count]) => isIdentity(id) && isCount(count));
}

function isPositions(given: unknown): given is readonly Position[] {
  return Array.isArray(given) && given.length <= MAX_GRAPHS && given.every(isPosition);
}

function isPosition(given: unknown): given is Position {
  const { identity, count, digest } = (given ?? {}) as Partial<Position>;
  return isIdentity(identity) && isCount(count) && (digest === null || isIdentity(digest));
}

export function isIdentity(given: unknown): given is string {
  return typeof given === "string" && IDENTITY.test(given);
}

export function isCount(given: unknown): given is number {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}

/** State of a peer, sent every two seconds. */
export interface PeerStatus {
  /** Milliseconds since 1970, by the sender's clock. */
  readonly at: number;
  readonly host: string;
  /** 0: no server. */
  readonly adminPort: number;
  /** Serial of the local graphs. */
  readonly serial: number;
  /** Digest over all graphs that are not local. */
  readonly digest: string;
  /** Positions of a provider's graphs; empty from a subscriber. */
  readonly graphs: readonly Position[];
  /** Last transaction at this moment; null: the sender is not caught up. */
  readonly goal: number | null;
}

/** @throws SvcError SVC2531 */
export function parseStatus(given: unknown): PeerStatus {
  const { at, host, adminPort, serial, digest, graphs, goal } = (given ??
    {}) as Partial<PeerStatus>;
  const isAddress = typeof host === "string" && HOST.test(host) && isCount(adminPort);
  const isStatus = isAddress && adminPort < 65536 && isCount(at) && isCount(serial);
  if (!isStatus || !isIdentity(digest) || !isPositions(graphs)) throw malformedMessage("no status");
  return { at, host, adminPort, serial, digest, graphs, goal: parseGoal(goal) };
}
