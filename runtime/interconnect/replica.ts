// Replica of the graphs of a provider: tracks which graphs exist and their positions, and applies
// snapshots and transactions. Each transaction contains the operation count that it follows, so the
// replica skips duplicates and detects gaps.

import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import { applyTransaction } from "../graph/log/apply-transaction.js";
import { isJoined, operationCountAfter, recordCount } from "../graph/log/transaction-format.js";
import type { GraphStore } from "../graph/manager/logging-entry-points.js";
import {
  openForLogging,
  requireIdentity,
  withJointTicket,
} from "../graph/manager/logging-entry-points.js";
import type { ReplicaReport } from "../metrics/traffic.js";
import { CatchUp } from "./catch-up.js";
import {
  notAReplicaError,
  readReplicaMarker,
  staleEpochError,
  writeReplicaMarker,
} from "./lineage.js";
import {
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  isIntact,
  serialBase,
} from "./log/segment-format.js";
import { forEachTransaction } from "./log/transactions.js";
import type { ReplicaGraphs } from "./replica-graphs.js";
import { divergedMessage, replicationPosition } from "./replication-position.js";
import { installSnapshot, type MessageSource, receiveSnapshot } from "./snapshot-transfer.js";
import { malformedMessage } from "./wire/messages.js";
import {
  type Ancestor,
  isOfferedGraph,
  type Offer,
  type OfferedGraph,
  type Position,
  type Positions,
  parseSnapshotHead,
  parseStart,
  type SnapshotHead,
} from "./wire/positions.js";

/** Interval of writing the marker. */
const MARKER_INTERVAL_MS = 1_000;

/** Position in the provider's log. */
interface Reached {
  readonly log: Positions["log"];
  /**
   * Last transaction that is here with all earlier ones; null until the provider has sent Start.
   */
  readonly sn: number | null;
}

export class Replica {
  readonly #graphs: ReplicaGraphs;
  /** Graphs of the provider, by number in its log. */
  readonly #offered = new Map<number, OfferedGraph>();
  readonly #stores = new Map<number, GraphStore>();
  /** Highest graph number so far. Graphs up to this number that are not offered were erased. */
  #lastNumber = 0;
  /** Positions of the provider by graph number, compared once the replica has reached them. */
  readonly #expected = new Map<number, Position>();
  /** Identities of graphs whose digest differs from the provider's at the same operation count. */
  readonly #diverged = new Set<string>();
  #applied: Reached;
  /** The durable part of `#applied`: the only position reported to others. */
  #safe: Reached;
  #isFlushing = false;
  /** Called when more transactions have become durable. */
  onDurable: () => void = () => undefined;
  #origin: string | null;
  #ancestors: readonly Ancestor[];
  #markedAt = 0;
  #markedLog: Positions["log"] = null;
  /** True if the last attempt to write the marker failed. */
  #isMarkerLate = false;
  #isRetired = false;
  /** True if received transactions may already be applied, as with a stream. */
  #mayRepeat = false;
  /** True if the local graphs followed another log than the received one. */
  #isForeign = false;
  /** True once the marker must not be written again, because a promotion may have removed it. */
  #isMarkerFinal = false;
  readonly #catchUp: CatchUp;
  #hasProvider = false;
  /** Called when the replica has caught up, or is no longer caught up. */
  onReadiness: () => void = () => undefined;

  /** @throws SvcError SVC2534 if the data folder has graphs that are not replicas */
  constructor(graphs: ReplicaGraphs) {
    this.#graphs = graphs;
    const mark = readReplicaMarker(graphs.root);
    const { log = null, origin = null, ancestors = [] } = mark ?? {};
    this.#applied = { log, sn: null };
    this.#safe = this.#applied;
    this.#origin = origin;
    this.#ancestors = ancestors;
    const { isCaughtUp = false, isFetching } = mark ?? {};
    this.#catchUp = new CatchUp(isCaughtUp, undefined, isFetching);
    if (mark !== undefined) {
      graphs.epoch = Math.max(graphs.epoch, mark.epoch);
      return;
    }
    const used = [...graphs.stores().values()].find(({ operationCount }) => operationCount > 0);
    if (used === undefined) this.writeMarker();
    else throw notAReplicaError(graphs.root, used.name);
  }

  /**
   * Last transaction that is durable with all earlier ones; null until the provider has sent Start.
   */
  get durableSn(): number | null {
    return this.#safe.sn;
  }

  /** Highest epoch of a provider so far. */
  get epoch(): number {
    return this.#graphs.epoch;
  }

  /** Log id of the root provider, across any chain of replicas; null: nothing received yet. */
  get origin(): string | null {
    return this.#origin;
  }

  report(): ReplicaReport {
    const isDiverged = this.#diverged.size > 0;
    return this.#catchUp.report({ hasProvider: this.#hasProvider, isDiverged });
  }

  /** Records that a provider has rejected the positions of this replica. */
  providerRejected(): void {
    this.#catchUp.providerRejected();
    this.onReadiness();
  }

  /** Records that the provider has disconnected. */
  providerLost(): void {
    this.#hasProvider = false;
    this.#catchUp.providerLost();
    this.onReadiness();
  }

  /** Sets the goal, which a provider reports once it is caught up itself. */
  adoptGoal(goal: number | null): void {
    this.#catchUp.adoptGoal(goal);
    if (this.#safe.sn !== null) this.#reach(this.#safe.sn);
  }

  /** Last applied transaction of the provider; null: not known. */
  get appliedSn(): number | null {
    return this.#applied.sn;
  }

  positions(): Positions {
    const graphs = [...this.#graphs.stores().values()].flatMap((store) => {
      const { operationCount: count } = store;
      return count === 0 ? [] : [replicationPosition(store)];
    });
    const { log } = this.#applied;
    const diverged = [...this.#diverged];
    const { epoch, member = null } = this.#graphs;
    return { log, origin: this.#origin, epoch, graphs, diverged, member };
  }

  /** Rejects providers of lower epochs from now on, also after a restart. */
  rejectEpochsBelow(epoch: number): void {
    if (epoch <= this.#graphs.epoch) return;
    this.#graphs.epoch = epoch;
    this.writeMarker();
  }

  /** Starts following a provider. @throws SvcError SVC2532, SVC2535 */
  async accept(offer: Offer): Promise<void> {
    if (offer.epoch < this.#graphs.epoch) throw staleEpochError(offer.epoch, this.#graphs.epoch);
    this.#graphs.epoch = offer.epoch;
    this.#origin = offer.origin;
    this.#ancestors = offer.ancestors ?? [];
    this.#offered.clear();
    this.#stores.clear();
    this.#expected.clear();
    this.#lastNumber = offer.lastNumber;
    for (const store of this.#graphs.stores().values()) {
      if (offer.erased.includes(requireIdentity(store)))
        await this.#graphs.remove(store.name, true);
    }
    for (const graph of offer.graphs) {
      this.#offered.set(graph.number, graph);
      const store = this.#graphs.stores().get(graph.name);
      if (store !== undefined && requireIdentity(store) === graph.identity) {
        this.#stores.set(graph.number, store);
      } else await this.#replaceEmpty(graph);
    }
    const start = { id: offer.logId, sn: 0, chain: 0 };
    const resume = ({ log }: Reached): typeof log => (log?.id === offer.logId ? log : start);
    this.#applied = { log: resume(this.#applied), sn: null };
    this.#safe = { log: resume(this.#safe), sn: null };
    this.#hasProvider = true;
    this.#catchUp.begin(offer.goal);
    this.writeMarker();
    this.onReadiness();
  }

  /**
   * Starts following a stream, which may repeat transactions.
   * @param at last transaction of the provider's log before the offer
   * @throws SvcError SVC2532, SVC2535
   */
  async acceptFromStream(offer: Offer, at: number): Promise<void> {
    const { epoch } = this.#graphs;
    const { log } = this.#applied;
    const used = [...this.#graphs.stores().values()].filter((store) => store.operationCount > 0);
    const isForeign = log !== null && log.id !== offer.logId && used.length > 0;
    if (isForeign && offer.epoch <= epoch && this.#origin !== offer.origin) {
      throw new SvcError("SVC2532", "replication: local graphs came from another instance");
    }
    // A graph that is not offered was erased if this replica is behind the offer. Otherwise it was
    // created after the offer.
    const isBehind = log === null || log.id !== offer.logId || log.sn < at;
    const offered = new Set(offer.graphs.map(({ identity }) => identity));
    const gone = used.map(requireIdentity).filter((identity) => !offered.has(identity));
    await this.accept({ ...offer, erased: isBehind ? gone : [] });
    this.#mayRepeat = true;
    this.#isForeign = isForeign;
  }

  /** Returns whether a snapshot contains changes that are missing here. */
  needsSnapshot({ name, identity, count }: SnapshotHead): boolean {
    const store = this.#graphs.stores().get(name);
    if (store === undefined) return true;
    // The local graph is a newer one of the same name.
    if (requireIdentity(store) !== identity) return false;
    return this.#isForeign || store.operationCount < count || this.#diverged.has(identity);
  }

  /** @throws SvcError SVC2531, SVC2532 */
  async receiveGraph(peer: MessageSource, json: unknown): Promise<void> {
    const head = parseSnapshotHead(json);
    const { folder } = openForLogging(this.#graphs.root, head.path, head.name);
    this.#catchUp.beginSnapshot(head.bytes + (head.values ?? 0));
    // Before anything is replaced: after a crash, this folder must not be taken for a complete one.
    this.writeMarker();
    this.onReadiness();
    await receiveSnapshot(peer, head, folder, (bytes) => this.#catchUp.countSnapshotBytes(bytes));
    const store = this.#graphs.stores().get(head.name);
    if (store !== undefined) await this.#replace(store, head);
    installSnapshot(folder);
    this.#diverged.delete(head.identity);
    this.#offered.set(head.number, head);
    this.#open(head);
  }

  /**
   * Compares digests with positions of the provider, each once the replica has reached it.
   * @throws SvcError SVC3200
   */
  compareDigests(provided: readonly Position[]): void {
    const byIdentity = new Map(provided.map((position) => [position.identity, position]));
    for (const { number, identity } of this.#offered.values()) {
      const position = byIdentity.get(identity);
      const store = this.#findStore(number);
      if (position === undefined || position.digest === null || store === undefined) continue;
      this.#expected.set(number, position);
      this.#compareNow(store, number);
    }
  }

  /**
   * Handles Start: frames follow the snapshots.
   * @throws SvcError SVC2531, also if no offer came before
   */
  startFrames(json: unknown): void {
    const { sn, chain } = parseStart(json);
    if (!this.#hasProvider) throw malformedMessage("a start before any offer");
    this.#markedAt = Number.NEGATIVE_INFINITY;
    this.#advance(sn, chain);
  }

  /**
   * Applies a frame of the provider's log.
   * @throws SvcError SVC2531, SVC2532
   */
  async applyFrame(
    bytes: Buffer,
  ): Promise<{ readonly header: FrameHeader; readonly records: number }> {
    if (this.#isRetired) throw malformedMessage("this instance is now a provider");
    const header = decodeFrameHeader(bytes);
    const payload = bytes.subarray(FRAME_HEADER_BYTES);
    if (header === null || header.isTable || !isIntact(header, payload))
      throw malformedMessage("corrupt frame");
    const reached = this.#applied.sn;
    // An acknowledgment covers all earlier frames, so a gap is an error even if this frame changes
    // other graphs.
    if (reached === null ? !this.#mayRepeat : header.sn > reached + 1) {
      throw malformedMessage(`missing transactions before ${header.sn}`);
    }
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const at = FRAME_HEADER_BYTES / 4;
    const frame = { header, offset: 0, words, at, end: words.length, bytes };
    const controls: unknown[] = [];
    const control = (json: unknown): unknown => controls.push(json);
    forEachTransaction(frame, { transaction: () => undefined, control });
    // Control records come first in each frame.
    for (const json of controls) await this.#control(json);
    let [records, sn] = [0, header.sn + controls.length];
    let ticket: number | null = null;
    const transaction = (frameWords: Uint32Array, from: number, graph: number): void => {
      // A flush would split a joint transaction.
      if (ticket === null) this.#graphs.drainIfFull();
      if (isJoined(frameWords, from)) ticket ??= this.#graphs.nextTicket();
      withJointTicket(ticket, () => this.#apply(frameWords, from, graph, sn++));
      if (!isJoined(frameWords, from)) ticket = null;
      records += recordCount(frameWords, from);
    };
    forEachTransaction(frame, { transaction, control: () => undefined });
    this.#advance(header.sn + header.transactions - 1, header.headerCrc);
    return { header, records };
  }

  /**
   * Stops accepting transactions. Resolves when the marker contains the exact position of the
   * graphs; it is not written again.
   */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.settle();
    this.#isMarkerFinal = true;
  }

  /** Resolves when the marker contains the position of the graphs, unless the log has failed. */
  async settle(): Promise<void> {
    const reached = this.#applied;
    if (!(await this.#graphs.flushed()) || reached !== this.#applied) return;
    this.#safe = reached;
    this.writeMarker();
  }

  /** Writes the marker if it is behind the durable position. */
  refreshMarker(): void {
    if (this.#safe.log !== this.#markedLog || this.#isMarkerLate) this.#tryMark();
  }

  /** Writes the marker. A failure must not stop replication: it only prolongs a restart. */
  #tryMark(): void {
    try {
      this.writeMarker();
      this.#isMarkerLate = false;
    } catch (error) {
      if (!this.#isMarkerLate) log(`replica marker: ${(error as Error).message}`, "error");
      this.#isMarkerLate = true;
    }
  }

  /**
   * Writes the marker with the durable position. With any later one, a crash could lose changes
   * that the provider would not send again.
   */
  writeMarker(): void {
    if (this.#isMarkerFinal) return;
    this.#markedAt = performance.now();
    this.#markedLog = this.#safe.log;
    const { root, epoch } = this.#graphs;
    const { isMarked: isCaughtUp, isFetching } = this.#catchUp;
    const [{ log }, origin, ancestors] = [this.#safe, this.#origin, this.#ancestors];
    writeReplicaMarker(root, { log, origin, epoch, ancestors, isCaughtUp, isFetching });
  }

  /** Applies a control record of the provider's log. @throws SvcError SVC2531 */
  async #control(control: unknown): Promise<void> {
    const { opened, erased } = (control ?? {}) as { opened?: unknown; erased?: unknown };
    if (opened !== undefined) {
      if (!isOfferedGraph(opened)) throw malformedMessage("invalid graph");
      const isKnown = this.#offered.has(opened.number);
      // A newer graph of the same name may exist here.
      if (!isKnown && opened.number <= this.#lastNumber) return;
      if (!isKnown) this.#offered.set(opened.number, opened);
      this.#lastNumber = Math.max(this.#lastNumber, opened.number);
      await this.#replaceEmpty(opened);
    }
    if (typeof erased !== "number") return;
    const store = this.#findStore(erased);
    this.#stores.delete(erased);
    this.#offered.delete(erased);
    if (store !== undefined) await this.#graphs.remove(store.name, true);
  }

  /** @throws SvcError SVC2532 */
  #apply(words: Uint32Array, at: number, number: number, sn: number): void {
    const offered = this.#offered.get(number);
    if (offered === undefined) {
      // The graph was erased later.
      if (number <= this.#lastNumber) return;
      throw malformedMessage(`changes of unannounced graph ${number}`);
    }
    if (this.#isRetired) throw malformedMessage("this instance is now a provider");
    if (this.#mayRepeat && this.#isSuperseded(offered)) return;
    const store = this.#findStore(number) ?? this.#open(offered);
    if (operationCountAfter(words, at) <= store.operationCount) return;
    try {
      applyTransaction(store, words, at, serialBase(this.#applied.log!.id) + sn);
    } catch (error) {
      const text = `graph "${offered.name}" cannot follow: ${(error as Error).message}`;
      throw new SvcError("SVC2532", text, { cause: error });
    }
    this.#compareNow(store, number);
  }

  /** @throws SvcError SVC3200 */
  #compareNow(store: GraphStore, number: number): void {
    const expected = this.#expected.get(number);
    if (expected === undefined || store.operationCount < expected.count) return;
    this.#expected.delete(number);
    const { count, digest, identity } = replicationPosition(store);
    if (count !== expected.count || digest === null || digest === expected.digest) return;
    this.#diverged.add(identity);
    this.onReadiness();
    throw new SvcError("SVC3200", divergedMessage(store.name, count));
  }

  #advance(sn: number, chain: number): void {
    const { id, sn: before } = this.#applied.log!;
    // A repeated frame must not move the position back: this replica would appear to be further
    // behind.
    const log = sn > before ? { id, sn, chain } : this.#applied.log;
    this.#applied = { log, sn };
    if (!this.#isFlushing) void this.#flushToDisk();
  }

  /** Flushes until everything applied is durable. Each flush covers what arrived before it. */
  async #flushToDisk(): Promise<void> {
    this.#isFlushing = true;
    while (this.#safe !== this.#applied) {
      const reached = this.#applied;
      // If the log has failed, nothing becomes durable, and so nothing is acknowledged.
      if (!(await this.#graphs.flushed())) break;
      // A new connection has begun meanwhile, perhaps to another provider.
      if (this.#applied.sn === null) break;
      if (reached.log?.id !== this.#applied.log?.id) continue;
      this.#safe = reached;
      this.onDurable();
      this.#reach(reached.sn!);
      if (performance.now() - this.#markedAt > MARKER_INTERVAL_MS) this.#tryMark();
    }
    this.#isFlushing = false;
  }

  #reach(sn: number): void {
    if (!this.#catchUp.advance(sn)) return;
    this.#tryMark();
    this.onReadiness();
  }

  /** Returns whether a graph was erased later, and a newer one of the same name exists here. */
  #isSuperseded({ number, name, identity }: OfferedGraph): boolean {
    if (this.#findStore(number) !== undefined) return false;
    const store = this.#graphs.stores().get(name);
    return store !== undefined && requireIdentity(store) !== identity;
  }

  /** Finds an open graph. A closed one counts as missing, because its memory is freed. */
  #findStore(number: number): GraphStore | undefined {
    const store = this.#stores.get(number);
    return store?.memory.isRemoved === true ? undefined : store;
  }

  /** Replaces an empty graph that a plugin had opened before the provider offered it. */
  async #replaceEmpty(graph: OfferedGraph): Promise<void> {
    const store = this.#graphs.stores().get(graph.name);
    if (store === undefined || store.operationCount > 0) return;
    if (requireIdentity(store) === graph.identity) return;
    await this.#replace(store, graph);
    this.#open(graph);
  }

  #open(graph: OfferedGraph): GraphStore {
    this.#graphs.open(graph);
    const store = this.#graphs.stores().get(graph.name);
    if (store === undefined || requireIdentity(store) !== graph.identity) {
      const text = `local graph "${graph.name}" did not come from the provider`;
      throw new SvcError("SVC2532", text);
    }
    this.#stores.set(graph.number, store);
    return store;
  }

  /** @throws SvcError SVC2532 if the local graph exists nowhere else */
  async #replace(store: GraphStore, { name, identity }: OfferedGraph): Promise<void> {
    const isSame = requireIdentity(store) === identity;
    if (!isSame && store.operationCount > 0) {
      throw new SvcError("SVC2532", `graph "${name}" is here already, and not the provider's`);
    }
    store.memory.markReplaced();
    await this.#graphs.remove(name, !isSame);
  }
}
