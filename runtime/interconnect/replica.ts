// The graphs that another instance provides: which there are here, how far each has come, and how
// they are changed by what comes. A unit says behind which operation of its graph it belongs, so
// that what comes twice is applied once, and what is missing is noticed.

import { SvcError } from "../base/errors.js";
import { applyTransaction } from "../graph/log/apply-transaction.js";
import { identityOfStore, openForLogging } from "../graph/log/logging-entry-points.js";
import { operationCountAfter, recordCount } from "../graph/log/transaction-format.js";
import { SYSTEM_GRAPH } from "../graph/manager/system-graph.js";
import type { GraphStore } from "../graph/store/graph-store.js";
import { serialBase } from "./log/log-id.js";
import {
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  isIntact,
} from "./log/segment-format.js";
import { forEachTransaction } from "./log/transactions.js";
import type { ReplicaGraphs } from "./replica-graphs.js";
import { readReplicaMarker, writeReplicaMarker } from "./replica-marker.js";
import { isDiverged, replicationPosition } from "./replication-position.js";
import { installSnapshot, type MessageSource, receiveSnapshot } from "./snapshot-transfer.js";
import { malformedMessage } from "./wire/messages.js";
import {
  isOffered,
  type Offer,
  type OfferedGraph,
  type Position,
  type Positions,
  parseSnapshotHead,
  parseStart,
  type SnapshotHead,
} from "./wire/positions.js";

/** So often the mark is written anew. */
const MARK_MS = 1_000;

/** How far the provider's log is followed. */
interface Reached {
  readonly log: Positions["log"];
  /** Last unit that is here with all before it; null: the provider has not come so far. */
  readonly sn: number | null;
}

export class Replica {
  readonly #graphs: ReplicaGraphs;
  /** By the number that the provider's log gave them. */
  readonly #offered = new Map<number, OfferedGraph>();
  readonly #stores = new Map<number, GraphStore>();
  /** What the provider's log opened up to this number, and is not offered, was erased since. */
  #lastNumber = 0;
  /** By number: what the provider has where its log goes on from here. */
  readonly #expected = new Map<number, Position>();
  /** Identities of graphs that are not as the provider's were after as many operations. */
  readonly #diverged = new Set<string>();
  #applied: Reached;
  /** The same of what would be there after a crash: others may believe this. */
  #safe: Reached;
  #isSettling = false;
  /** Is called whenever more has become safe. */
  onSafe: () => void = () => undefined;
  #origin: string | null;
  #markedAt = 0;
  #marked: Positions["log"] = null;
  #isRetired = false;
  /** What comes may have come before. */
  #isAgain = false;
  /** What is here follows another log than what comes. */
  #isOther = false;
  /** The mark is not to be written again: somebody may have removed it. */
  #isMarked = false;

  /** @throws SvcError SVC2534 the root has graphs that are no replicas */
  constructor(graphs: ReplicaGraphs) {
    this.#graphs = graphs;
    const mark = readReplicaMarker(graphs.root);
    this.#applied = { log: mark?.log ?? null, sn: null };
    this.#safe = this.#applied;
    this.#origin = mark?.origin ?? null;
    if (mark !== undefined) {
      graphs.epoch = Math.max(graphs.epoch, mark.epoch);
      return;
    }
    const own = [...graphs.stores().values()].find(({ operationCount }) => operationCount > 0);
    if (own === undefined) this.mark();
    else throw notReplica(graphs.root, own.name);
  }

  /** Last unit that is safe here with all before it; null: the provider has not come so far. */
  get durableSn(): number | null {
    return this.#safe.sn;
  }

  /** Log of the first provider, through whomever it came; null: nothing has come yet. */
  get origin(): string | null {
    return this.#origin;
  }

  positions(): Positions {
    const graphs = [...this.#graphs.stores().values()].flatMap((store) => {
      const { operationCount: count } = store;
      return count === 0 ? [] : [replicationPosition(store)];
    });
    const { log } = this.#applied;
    const diverged = [...this.#diverged];
    return { log, origin: this.#origin, epoch: this.#graphs.epoch, graphs, diverged };
  }

  /** Begins to follow a provider. @throws SvcError SVC2532, SVC2535 */
  async accept(offer: Offer): Promise<void> {
    if (offer.epoch < this.#graphs.epoch) {
      const { epoch } = this.#graphs;
      const text = `epoch ${offer.epoch} of the provider is over, this is epoch ${epoch}`;
      throw new SvcError("SVC2535", text);
    }
    this.#graphs.epoch = offer.epoch;
    this.#origin = offer.origin;
    this.#offered.clear();
    this.#stores.clear();
    this.#expected.clear();
    this.#lastNumber = offer.lastNumber;
    for (const store of this.#graphs.stores().values()) {
      if (offer.erased.includes(identityOfStore(store)))
        await this.#graphs.remove(store.name, true);
    }
    for (const graph of offer.graphs) {
      this.#offered.set(graph.number, graph);
      const store = this.#graphs.stores().get(graph.name);
      if (store !== undefined && identityOfStore(store) === graph.identity) {
        this.#stores.set(graph.number, store);
      } else await this.#clear(graph);
    }
    const anew = { id: offer.logId, sn: 0, chain: 0 };
    const positionIn = ({ log }: Reached): typeof log => (log?.id === offer.logId ? log : anew);
    this.#applied = { log: positionIn(this.#applied), sn: null };
    this.#safe = { log: positionIn(this.#safe), sn: null };
    this.mark();
  }

  /**
   * Begins to follow what was written down for everybody, and may have been read here before.
   * @param at unit of the provider's log behind which that was offered
   * @throws SvcError SVC2532, SVC2535
   */
  async acceptAgain(offer: Offer, at: number): Promise<void> {
    const { epoch } = this.#graphs;
    const { log } = this.#applied;
    const used = [...this.#graphs.stores().values()].filter((store) => store.operationCount > 0);
    const isStrange = log !== null && log.id !== offer.logId && used.length > 0;
    if (isStrange && offer.epoch <= epoch && this.#origin !== offer.origin) {
      throw new SvcError("SVC2532", "replication: what is here came from another instance");
    }
    // What is here and is not offered was erased since, or else was made since.
    const isBehind = log === null || log.id !== offer.logId || log.sn < at;
    const offered = new Set(offer.graphs.map(({ identity }) => identity));
    const gone = used.map(identityOfStore).filter((identity) => !offered.has(identity));
    await this.accept({ ...offer, erased: isBehind ? gone : [] });
    this.#isAgain = true;
    this.#isOther = isStrange;
  }

  /** A snapshot holds what is not here. */
  needs({ name, identity, count }: SnapshotHead): boolean {
    const store = this.#graphs.stores().get(name);
    if (store === undefined) return true;
    // A later one of its name.
    if (identityOfStore(store) !== identity) return false;
    return this.#isOther || store.operationCount < count || this.#diverged.has(identity);
  }

  /** @throws SvcError SVC2531, SVC2532 */
  async receive(peer: MessageSource, given: unknown): Promise<void> {
    const head = parseSnapshotHead(given);
    refuseSystem(head.name);
    const { folder } = openForLogging(this.#graphs.root, head.path, head.name);
    await receiveSnapshot(peer, head, folder);
    const store = this.#graphs.stores().get(head.name);
    if (store !== undefined) await this.#replace(store, head);
    installSnapshot(folder);
    this.#diverged.delete(head.identity);
    this.#offered.set(head.number, head);
    this.#open(head);
  }

  /**
   * The provider says what it has of its graphs: what is here is compared as soon as it has come as
   * far.
   * @throws SvcError SVC3200
   */
  compare(provided: readonly Position[]): void {
    const byIdentity = new Map(provided.map((position) => [position.identity, position]));
    for (const { number, identity } of this.#offered.values()) {
      const position = byIdentity.get(identity);
      const store = this.#storeOf(number);
      if (position === undefined || position.digest === null || store === undefined) continue;
      this.#expected.set(number, position);
      this.#compareNow(store, number);
    }
  }

  /** All that comes as snapshots has come: from here on it is the log. @throws SvcError SVC2531 */
  start(given: unknown): void {
    const { sn, chain } = parseStart(given);
    this.#markedAt = Number.NEGATIVE_INFINITY;
    this.#advance(sn, chain);
  }

  /**
   * Applies a frame of the provider's log, as it stands there.
   * @throws SvcError SVC2531, SVC2532
   */
  async take(bytes: Buffer): Promise<{ readonly header: FrameHeader; readonly records: number }> {
    if (this.#isRetired) throw malformedMessage("this instance provides by itself now");
    const header = decodeFrameHeader(bytes);
    const units = bytes.subarray(FRAME_HEADER_BYTES);
    if (header === null || header.isTable || !isIntact(header, units))
      throw malformedMessage("a frame is damaged");
    const reached = this.#applied.sn;
    // All before it is acknowledged with it, also what is of graphs of which nothing else comes.
    if (reached === null ? !this.#isAgain : header.sn > reached + 1) {
      throw malformedMessage(`changes before ${header.sn} are missing`);
    }
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const at = FRAME_HEADER_BYTES / 4;
    const frame = { header, offset: 0, words, at, end: words.length, bytes };
    const controls: unknown[] = [];
    forEachTransaction(frame, { unit: () => undefined, control: (json) => controls.push(json) });
    // In each frame they come first.
    for (const control of controls) await this.#control(control);
    let [records, sn] = [0, header.sn + controls.length];
    const unit = (unitWords: Uint32Array, from: number, graph: number): void => {
      this.#apply(unitWords, from, graph, sn++);
      records += recordCount(unitWords, from);
    };
    forEachTransaction(frame, { unit, control: () => undefined });
    this.#advance(header.sn + header.units - 1, header.headerCrc);
    return { header, records };
  }

  /**
   * Nothing of the provider is taken any more; resolves when the mark says exactly how far all came
   * that is here, and will not be written again.
   */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.settle();
    this.#isMarked = true;
  }

  /** Resolves when the mark says how far all came that is here, as far as that can be made safe. */
  async settle(): Promise<void> {
    const reached = this.#applied;
    if (!(await this.#graphs.flushed()) || reached !== this.#applied) return;
    this.#safe = reached;
    this.mark();
  }

  /** Writes the mark where it says less than is safe. */
  keepMark(): void {
    if (this.#safe.log !== this.#marked) this.mark();
  }

  /** Never of more than is safe: whoever believes it after a crash would miss the rest for ever. */
  mark(): void {
    if (this.#isMarked) return;
    this.#markedAt = performance.now();
    this.#marked = this.#safe.log;
    const { root, epoch } = this.#graphs;
    writeReplicaMarker(root, { log: this.#safe.log, origin: this.#origin, epoch });
  }

  /** The provider's log says something of itself. @throws SvcError SVC2531 */
  async #control(control: unknown): Promise<void> {
    const { opened, erased } = (control ?? {}) as { opened?: unknown; erased?: unknown };
    if (opened !== undefined) {
      if (!isOffered(opened)) throw malformedMessage("a graph that can be none");
      const isKnown = this.#offered.has(opened.number);
      // Another one of its name may be here already.
      if (!isKnown && opened.number <= this.#lastNumber) return;
      if (!isKnown) this.#offered.set(opened.number, opened);
      this.#lastNumber = Math.max(this.#lastNumber, opened.number);
      await this.#clear(opened);
    }
    if (typeof erased !== "number") return;
    const store = this.#storeOf(erased);
    this.#stores.delete(erased);
    this.#offered.delete(erased);
    if (store !== undefined) await this.#graphs.remove(store.name, true);
  }

  /** @throws SvcError SVC2532 */
  #apply(words: Uint32Array, at: number, number: number, sn: number): void {
    const offered = this.#offered.get(number);
    if (offered === undefined) {
      // It was erased since.
      if (number <= this.#lastNumber) return;
      throw malformedMessage(`changes of graph ${number}, which was not told of`);
    }
    if (this.#isRetired) throw malformedMessage("this instance provides by itself now");
    if (this.#isAgain && this.#isSuperseded(offered)) return;
    const store = this.#storeOf(number) ?? this.#open(offered);
    if (operationCountAfter(words, at) <= store.operationCount) return;
    this.#graphs.drainIfFull();
    try {
      applyTransaction(store, words, at, serialBase(this.#applied.log?.id ?? "") + sn);
    } catch (error) {
      const text = `graph "${offered.name}" cannot follow: ${(error as Error).message}`;
      throw new SvcError("SVC2532", text, { cause: error });
    }
    if (this.#expected.size > 0) this.#compareNow(store, number);
  }

  /** @throws SvcError SVC3200 */
  #compareNow(store: GraphStore, number: number): void {
    const expected = this.#expected.get(number);
    if (expected === undefined || store.operationCount < expected.count) return;
    this.#expected.delete(number);
    const { count, digest, identity } = replicationPosition(store);
    if (count !== expected.count || digest === null || digest === expected.digest) return;
    this.#diverged.add(identity);
    throw new SvcError("SVC3200", isDiverged(store.name, count));
  }

  #advance(sn: number, chain: number): void {
    const { id, sn: before } = this.#applied.log!;
    // What comes once more takes nothing back: others must not take this one for further behind.
    const log = sn > before ? { id, sn, chain } : this.#applied.log;
    this.#applied = { log, sn };
    if (!this.#isSettling) void this.#flushToDisk();
  }

  /** Until all that is applied is safe; what comes during a flush is made safe by the next one. */
  async #flushToDisk(): Promise<void> {
    this.#isSettling = true;
    while (this.#safe !== this.#applied) {
      const reached = this.#applied;
      // A log that has failed makes nothing safe any more, and nothing is acknowledged.
      if (!(await this.#graphs.flushed())) break;
      // Another connection has begun meanwhile, perhaps with another provider.
      if (this.#applied.sn === null) break;
      if (reached.log?.id !== this.#applied.log?.id) continue;
      this.#safe = reached;
      this.onSafe();
      if (performance.now() - this.#markedAt > MARK_MS) this.mark();
    }
    this.#isSettling = false;
  }

  /** It was erased since, and there is another one of its name. */
  #isSuperseded({ number, name, identity }: OfferedGraph): boolean {
    if (this.#storeOf(number) !== undefined) return false;
    const store = this.#graphs.stores().get(name);
    return store !== undefined && identityOfStore(store) !== identity;
  }

  /** Undefined also for one that somebody has let go: its memory is given back. */
  #storeOf(number: number): GraphStore | undefined {
    const store = this.#stores.get(number);
    return store?.memory.isRemoved === true ? undefined : store;
  }

  /** A plugin has asked for a graph before it came: that one is empty, and makes room. */
  async #clear(graph: OfferedGraph): Promise<void> {
    const store = this.#graphs.stores().get(graph.name);
    if (store === undefined || store.operationCount > 0) return;
    if (identityOfStore(store) === graph.identity) return;
    await this.#graphs.remove(graph.name, true);
    this.#open(graph);
  }

  #open(graph: OfferedGraph): GraphStore {
    refuseSystem(graph.name);
    this.#graphs.open(graph);
    const store = this.#graphs.stores().get(graph.name);
    if (store === undefined || identityOfStore(store) !== graph.identity) {
      const text = `graph "${graph.name}" is here already, and not the provider's`;
      throw new SvcError("SVC2532", text);
    }
    this.#stores.set(graph.number, store);
    return store;
  }

  /** @throws SvcError SVC2532 what is here came from nowhere else */
  async #replace(store: GraphStore, { name, identity }: OfferedGraph): Promise<void> {
    const isSame = identityOfStore(store) === identity;
    if (!isSame && store.operationCount > 0) {
      throw new SvcError("SVC2532", `graph "${name}" is here already, and not the provider's`);
    }
    await this.#graphs.remove(name, !isSame);
  }
}

function refuseSystem(name: string): void {
  if (name === SYSTEM_GRAPH) throw malformedMessage("the system's own graph is not provided");
}

function notReplica(root: string, name: string): SvcError {
  const text = `replication: graph "${name}" in ${root} did not come from a provider`;
  return new SvcError("SVC2534", text);
}
