// JSON messages: the positions of a subscriber, the offer of a provider, and the status that both
// send every two seconds.

import { GRAPH_NAME } from "../../base/graph-names.js";
import { MAX_GRAPHS } from "../../base/limits.js";
import { type Incarnation, isIncarnation } from "../leadership/leadership.js";
import { malformedMessage } from "./messages.js";

/** Positions of a subscriber: everything that it has received so far. */
export interface Positions {
  /** Its position in the log that it follows; null: nothing received yet. */
  readonly log: LogPosition | null;
  /** Log id of the provider at the root of the chain of replicas; null: nothing received yet. */
  readonly origin: string | null;
  /** Highest epoch seen. */
  readonly epoch: number;
  readonly graphs: readonly Position[];
  /** Identities of graphs that differ from those of the provider. */
  readonly diverged: readonly string[];
  /** Its incarnation as a member of a group; null: it belongs to no group. */
  readonly member?: Incarnation | null;
}

/** State of a graph after `count` operations. */
export interface Position {
  readonly identity: string;
  readonly count: number;
  /** Digest of the contents; null: not computed. */
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
  /** Graphs up to this number were erased if the offer lacks them. */
  readonly lastNumber: number;
  /** Identities of the subscriber's graphs that were erased. */
  readonly erased: readonly string[];
  /** Last transaction at this moment; null: the provider itself is not caught up. */
  readonly goal: number | null;
  /** Ends of the earlier logs that the log of the provider continues. */
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
  /** Operation counts of the graphs at this position, by identity; undefined: unknown. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Header of a snapshot that replaces the subscriber's graph. */
export interface SnapshotHead extends OfferedGraph {
  readonly bytes: number;
  /** Operation count of the snapshot. */
  readonly count: number;
  /** Bytes of the external values after it, each prefixed by its length. */
  readonly values?: number;
}

/** Follows the snapshots: the subscriber now has all transactions up to `sn`. */
export interface Start {
  readonly sn: number;
  /** `headerCrc` of the frame that ends there. */
  readonly chain: number;
}

/** A replica that missed more promotions must start from an empty data folder. */
export const MAX_ANCESTORS = 16;
/** Digests have the same form. */
const IDENTITY = /^[0-9a-f]{32}$/;
const HOST = /^[\w.:-]{0,255}$/;

/** @throws SvcError SVC2531 */
export function parsePositions(value: unknown): Required<Positions> {
  const {
    log,
    origin = null,
    epoch,
    graphs,
    diverged,
    member = null,
  } = (value ?? {}) as Partial<Positions>;
  if (log !== null && !isLogPosition(log)) throw malformedMessage("invalid log position");
  if (!isCount(epoch) || !(origin === null || isIdentity(origin)))
    throw malformedMessage("invalid epoch");
  if (!isPositions(graphs)) throw malformedMessage("invalid graph positions");
  if (!Array.isArray(diverged) || diverged.length > MAX_GRAPHS || !diverged.every(isIdentity)) {
    throw malformedMessage("invalid diverged graphs");
  }
  if (member !== null && !isIncarnation(member)) throw malformedMessage("invalid member");
  return { log, origin, epoch, graphs, diverged, member };
}

/** @throws SvcError SVC2531 */
export function parseOffer(value: unknown): Offer {
  const { logId, isRoot, origin, epoch, graphs, lastNumber, erased, goal } = (value ??
    {}) as Partial<Offer>;
  const { ancestors = [] } = (value ?? {}) as Partial<Offer>;
  const isOffer =
    isIdentity(logId) && isIdentity(origin) && Array.isArray(graphs) && Array.isArray(erased);
  if (!isOffer || !graphs.every(isOfferedGraph) || !erased.every(isIdentity))
    throw malformedMessage("invalid offer");
  if (!isCount(lastNumber) || !isCount(epoch) || typeof isRoot !== "boolean")
    throw malformedMessage("invalid offer");
  const areAncestors = Array.isArray(ancestors) && ancestors.length <= MAX_ANCESTORS;
  if (!areAncestors || !ancestors.every(isAncestor)) throw malformedMessage("invalid ancestors");
  const offer = { logId, isRoot, origin, epoch, graphs, lastNumber, erased, ancestors };
  return { ...offer, goal: parseGoal(goal) };
}

/** @throws SvcError SVC2531 */
function parseGoal(value: unknown): number | null {
  if (value === null || isCount(value)) return value;
  throw malformedMessage("invalid goal");
}

/** @throws SvcError SVC2531 */
export function parseSnapshotHead(value: unknown): SnapshotHead {
  const head = (value ?? {}) as SnapshotHead;
  const isCounted = isCount(head.bytes) && isCount(head.count) && isCount(head.values ?? 0);
  if (!isOfferedGraph(head) || !isCounted) throw malformedMessage("invalid snapshot header");
  return head;
}

/** @throws SvcError SVC2531 */
export function parseStart(value: unknown): Start {
  const { sn, chain } = (value ?? {}) as Partial<Start>;
  if (!isCount(sn) || !isCount(chain)) throw malformedMessage("invalid start position");
  return { sn, chain };
}

export function isOfferedGraph(value: unknown): value is OfferedGraph {
  const { number, identity, name, path } = (value ?? {}) as Partial<OfferedGraph>;
  const isNamed = typeof name === "string" && GRAPH_NAME.test(name) && typeof path === "string";
  return isNamed && isCount(number) && isIdentity(identity);
}

function isLogPosition(value: unknown): value is NonNullable<Positions["log"]> {
  const { id, sn, chain } = (value ?? {}) as Record<string, unknown>;
  return isIdentity(id) && isCount(sn) && isCount(chain);
}

export function isAncestor(value: unknown): value is Ancestor {
  const { counts = {} } = Object(value) as Partial<Ancestor>;
  if (!isLogPosition(value) || typeof counts !== "object" || counts === null) return false;
  const entries = Object.entries(counts);
  if (entries.length > MAX_GRAPHS) return false;
  return entries.every(([id, count]) => isIdentity(id) && isCount(count));
}

function isPositions(value: unknown): value is readonly Position[] {
  return Array.isArray(value) && value.length <= MAX_GRAPHS && value.every(isPosition);
}

function isPosition(value: unknown): value is Position {
  const { identity, count, digest } = (value ?? {}) as Partial<Position>;
  return isIdentity(identity) && isCount(count) && (digest === null || isIdentity(digest));
}

export function isIdentity(value: unknown): value is string {
  return typeof value === "string" && IDENTITY.test(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
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
export function parseStatus(value: unknown): PeerStatus {
  const { at, host, adminPort, serial, digest, graphs, goal } = (value ??
    {}) as Partial<PeerStatus>;
  const isAddress = typeof host === "string" && HOST.test(host) && isCount(adminPort);
  const isStatus = isAddress && adminPort < 65536 && isCount(at) && isCount(serial);
  if (!isStatus || !isIdentity(digest) || !isPositions(graphs))
    throw malformedMessage("invalid status");
  return { at, host, adminPort, serial, digest, graphs, goal: parseGoal(goal) };
}
