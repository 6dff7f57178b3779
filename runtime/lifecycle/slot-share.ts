// Reads and writes the content of slots in the graphs of this process, for slot moves. Received
// content stays in memory until the source has stopped changing it, and is not durable until then.

import { setTimeout as sleep } from "node:timers/promises";
import { threadSlots } from "../base/instance-slots.js";
import type { KeptSlots } from "../base/kept-slots.js";
import { isLeading, type SlotMember } from "../base/next-slot-step.js";
import { responseInTime } from "../base/response-in-time.js";
import type { SlotMove, SlotRecord } from "../base/slot-record.js";
import { describeDigest, measureBytes } from "../graph/api/status/graph-digest.js";
import { GraphSlots, type RecordName } from "../graph/log/slot-content.js";
import { type GraphDigests, isReached } from "../system/slot-moves/graph-digests.js";
import type { GraphSupervisor } from "./graph-supervisor.js";

/** Bytes of content in one response, before base64. */
const CHUNK_BYTES = 2 ** 19;
const MAX_STAGED_BYTES = 2 ** 28;
const FLUSH_MS = 30_000;
/** Short, because queries wait for the replicas, which usually lag by a few milliseconds. */
const CATCH_UP_MS = 1000;
const POLL_MS = 2;
/** After this time without a move, its memory is freed, including 2 bytes per vertex. */
const IDLE_MS = 120_000;

/** Position at which a chunk of content begins. */
interface ContentPosition {
  readonly graph: string;
  readonly slot: number;
  readonly offset: number;
}

interface StagedChunk extends ContentPosition {
  /** Size of the whole content in bytes. */
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly names: readonly RecordName[];
}

type Leadership = Pick<SlotMember, "leads" | "term">;

interface Staged {
  readonly bytes: Uint8Array;
  received: number;
  readonly names: readonly RecordName[];
}

/** Digest of anchors, which are not compared because they may differ between groups. */
const ANCHORS = "anchors";

export class SlotShare {
  readonly #graphs: GraphSupervisor;
  readonly #slots: KeptSlots;
  readonly #byGraph = new Map<string, GraphSlots>();
  /** Encoded content by graph and slot. */
  readonly #encoded = new Map<string, Uint8Array>();
  #stagedFor = "";
  #staged = new Map<string, Staged>();
  #stagedBytes = 0;
  readonly #idle: NodeJS.Timeout;

  constructor(graphs: GraphSupervisor, slots: KeptSlots, idleMs = IDLE_MS) {
    this.#graphs = graphs;
    this.#slots = slots;
    this.#idle = setTimeout(() => this.#release(), idleMs).unref();
  }

  #release(): void {
    this.#byGraph.clear();
    this.#encoded.clear();
    this.#unstage();
  }

  /** Returns whether this instance may change its graphs, and the latest term that it has seen. */
  async leadership(): Promise<Leadership> {
    if (this.#slots.isDispatcher) return { leads: false, term: 0 };
    const graphs = await this.#openGraphs();
    const { isInGroup, group } = this.#graphs.clock;
    const isWritable = graphs.every(({ store }) => !store.isReadonly);
    if (!isInGroup) return { leads: isWritable, term: 0 };
    return { leads: isWritable && group.role === "leading", term: group.epoch };
  }

  /** @throws Error unless this instance leads in the term: another leader may have other changes */
  async requireTerm(term: number): Promise<void> {
    const leadership = await this.leadership();
    if (!isLeading(leadership, term))
      throw new Error(`this instance does not lead in term ${term}`);
  }

  async digests(): Promise<GraphDigests> {
    if (this.#slots.isDispatcher) return {};
    const graphs = await this.#openGraphs();
    return Object.fromEntries(graphs.map(({ store }) => [store.name, describeDigest(store)]));
  }

  /** Waits briefly until the graphs have all changes that the digests of the leader include. */
  async waitForDigests(target: GraphDigests): Promise<object> {
    for (const deadline = performance.now() + CATCH_UP_MS; ; ) {
      if (isReached(await this.digests(), target)) return { isReached: true };
      if (performance.now() > deadline) return { isReached: false };
      await sleep(POLL_MS);
    }
  }

  async usedBytes(): Promise<number> {
    if (this.#slots.isDispatcher) return 0;
    return (await this.#openGraphs()).reduce((sum, { store }) => sum + measureBytes(store), 0);
  }

  /** Waits for changes that began under the previous slot record. */
  async settle(): Promise<void> {
    if (this.#slots.isDispatcher) return;
    for (const graph of await this.#openGraphs()) graph.settle();
  }

  /** Returns the number of vertices of each slot by graph, including anchors. */
  async count(): Promise<Record<string, number[]>> {
    this.#idle.refresh();
    const graphs = await this.#openGraphs();
    return Object.fromEntries(graphs.map((graph) => [graph.store.name, [...graph.count()]]));
  }

  /** Encodes slots for `read` until they reach `maxWords`, but at least one. */
  async encode(slots: readonly number[], maxWords: number): Promise<object> {
    this.#idle.refresh();
    this.#encoded.clear();
    const graphs = await this.#openGraphs();
    const encoded = graphs.map((graph) => ({ graph, ...graph.encode(slots, maxWords) }));
    const count = Math.min(...encoded.map(({ contents }) => contents.length));
    const encodedGraphs = encoded.map(({ graph, contents, names }) => {
      const described = contents.slice(0, count).map(({ slot, words, digest, vertices, arcs }) => {
        this.#storeEncoded(graph, slot, words);
        return { slot, bytes: words.byteLength, digest, vertices, arcs };
      });
      return { graph: graph.store.name, slots: described, names };
    });
    return { slots: slots.slice(0, count), graphs: encodedGraphs };
  }

  /** Encodes the anchors for `read`, under the slot number after the last one. */
  async encodeAnchors(): Promise<object> {
    const slot = this.#slots.record.map.count;
    const graphs = (await this.#openGraphs()).map((graph) => {
      const { words, names } = graph.encodeAnchors();
      this.#storeEncoded(graph, slot, words);
      const described = { slot, bytes: words.byteLength, digest: ANCHORS, vertices: 0, arcs: 0 };
      return { graph: graph.store.name, slots: [described], names };
    });
    return { slots: [], graphs };
  }

  #storeEncoded({ store }: GraphSlots, slot: number, words: Uint32Array): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    this.#encoded.set(contentKey(store.name, slot), bytes);
  }

  /** Returns the next bytes of encoded slots as base64, for at least one slot. */
  read(positions: readonly ContentPosition[]): string[] {
    this.#idle.refresh();
    const chunks: string[] = [];
    let left = CHUNK_BYTES;
    for (const { graph, slot, offset } of positions) {
      if (left <= 0) break;
      const content = this.#encoded.get(contentKey(graph, slot));
      if (content === undefined) throw new Error(`slot ${slot} of "${graph}" is not encoded`);
      const { buffer, byteOffset, byteLength } = content.subarray(offset, offset + left);
      left -= byteLength;
      chunks.push(Buffer.from(buffer, byteOffset, byteLength).toString("base64"));
    }
    return chunks;
  }

  /** Stores content received from another group in memory, until `write`. */
  stage(id: string, chunks: readonly StagedChunk[]): object {
    this.#idle.refresh();
    if (id !== this.#stagedFor) {
      this.#unstage();
      this.#stagedFor = id;
    }
    for (const chunk of chunks) this.#stageChunk(chunk);
    return {};
  }

  #stageChunk({ graph, slot, offset, length, bytes, names }: StagedChunk): void {
    const key = contentKey(graph, slot);
    if (offset === 0) {
      const previousBytes = this.#staged.get(key)?.bytes.length ?? 0;
      const total = this.#stagedBytes - previousBytes + length;
      if (total > MAX_STAGED_BYTES) throw new Error("content of the slots is too large");
      this.#stagedBytes = total;
      this.#staged.set(key, { bytes: new Uint8Array(length), received: 0, names });
    }
    const staged = this.#staged.get(key);
    if (staged === undefined || staged.received !== offset || offset + bytes.length > length) {
      throw new Error(`slot ${slot} of "${graph}" does not continue at ${offset}`);
    }
    staged.bytes.set(bytes, offset);
    staged.received += bytes.length;
  }

  /** Executes `hold` in a target without replicas, which has no content until `write`. */
  prepare(move: SlotMove): SlotRecord {
    // If the move is already held, a write may have begun.
    if (this.#slots.record.move?.id !== move.id) this.#slots.setAbsentMove(move.id);
    return this.#slots.change({ do: "hold", move });
  }

  /**
   * Executes `hold` for a move to this group and writes the received slots to the graphs. Resolves
   * when both are durable.
   * @returns digests of the written content by graph and slot, and the time before the flush; or
   *   `missing`, the slots that were not received, if nothing has changed
   */
  async write(move: SlotMove): Promise<object> {
    const sinceMs = performance.now();
    const { id, slots, to } = move;
    if (to !== this.#slots.own) throw new Error("the slots do not move to this group");
    const graphs = await this.#openGraphs();
    const targets = graphs.flatMap((graph) => slots.map((slot) => ({ graph, slot })));
    const missing = targets.filter(({ graph, slot }) => {
      const staged = this.#staged.get(contentKey(graph.store.name, slot));
      return (
        id !== this.#stagedFor || staged === undefined || staged.received < staged.bytes.length
      );
    });
    if (missing.length > 0) return { missing: missing.map(({ slot }) => slot) };
    this.#slots.setAbsentMove(null);
    const record = this.#slots.change({ do: "hold", move });
    for (const graph of graphs) {
      const anchors = this.#staged.get(contentKey(graph.store.name, this.#slots.record.map.count));
      if (anchors !== undefined) writeStaged(graph, anchors);
    }
    // An earlier attempt may have written some of the content.
    for (const graph of graphs) graph.remove(slots);
    for (const { graph, slot } of targets) {
      writeStaged(graph, this.#staged.get(contentKey(graph.store.name, slot))!);
    }
    const flushed = this.#flush();
    flushed.catch(() => undefined);
    const digests = Object.fromEntries(
      graphs.map((graph) => {
        const { contents } = graph.encode(slots, Number.POSITIVE_INFINITY);
        const bySlot = contents.map(({ slot, digest }) => [slot, digest] as const);
        return [graph.store.name, Object.fromEntries(bySlot)];
      }),
    );
    this.#unstage();
    const ms = performance.now() - sinceMs;
    await flushed;
    return { digests, ms, record, contents: await this.digests() };
  }

  #unstage(): void {
    this.#staged.clear();
    this.#stagedBytes = 0;
  }

  /**
   * Removes the content of a completed move from a source without replicas. Responses carry the id
   * of the new map before the removal is durable; after a crash, they carry no id until `remove`.
   */
  async clearOut(id: string): Promise<object> {
    const sinceMs = performance.now();
    await this.#removeContent(id);
    this.#slots.setAbsentMove(id);
    return { ms: performance.now() - sinceMs };
  }

  /**
   * Removes the content of a move from its source, or from the target of an undone move.
   * @returns duration before the flush
   */
  async remove(id: string): Promise<object> {
    const sinceMs = performance.now();
    await this.#removeContent(id);
    const ms = performance.now() - sinceMs;
    await this.#flush();
    return { ms, digests: await this.digests() };
  }

  async #removeContent(id: string): Promise<void> {
    const { slots } = this.#requireMove(id);
    this.#idle.refresh();
    for (const graph of await this.#openGraphs()) graph.remove(slots);
  }

  #requireMove(id: string) {
    const { move } = this.#slots.record;
    if (move === null || move.id !== id) throw new Error("this move is not held here");
    const isSource = move.from === this.#slots.own;
    if (isSource && !move.isGiven) throw new Error("the slots are not given");
    return move;
  }

  /** Resolves when all changes so far are durable, in the whole group if it has a leader. */
  async #flush(): Promise<void> {
    const { clock } = this.#graphs;
    const confirmed = responseInTime(clock.waitConfirmed(clock.nextFlush), FLUSH_MS);
    if (!(await confirmed.catch(() => false)))
      throw new Error("the changes are not durable: see the log");
  }

  async #openGraphs(): Promise<GraphSlots[]> {
    const graphs: GraphSlots[] = [];
    for (const name of this.#slots.graphs) {
      await this.#graphs.openConfigured(name);
      const store = this.#graphs.storeOf(name)!;
      const cached = this.#byGraph.get(name);
      const graph = cached?.store === store ? cached : new GraphSlots(store, threadSlots()!);
      this.#byGraph.set(name, graph);
      graphs.push(graph);
    }
    return graphs;
  }
}

/** Returns the key of the content of a slot. */
function contentKey(graph: string, slot: number): string {
  return `${graph} ${slot}`;
}

function writeStaged(graph: GraphSlots, { bytes, names }: Staged): void {
  graph.write(new Uint32Array(bytes.buffer), names);
}
