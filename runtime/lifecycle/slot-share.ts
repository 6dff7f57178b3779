// Content of slots in the graphs of this process, as a move reads and writes it. Received content
// is kept in memory until the source has stopped changing it: before that, nothing depends on it.

import { setTimeout as sleep } from "node:timers/promises";
import { answerInTime } from "../base/answer-in-time.js";
import { threadSlots } from "../base/instance-slots.js";
import type { KeptSlots } from "../base/kept-slots.js";
import { isLeading, type SlotMember } from "../base/next-slot-step.js";
import type { SlotMove, SlotRecord } from "../base/slot-record.js";
import { describeDigest, measureBytes } from "../graph/api/status/graph-digest.js";
import { GraphSlots, type RecordName } from "../graph/log/slot-content.js";
import { type GraphDigests, isReached } from "../system/slot-moves/graph-digests.js";
import type { GraphSupervisor } from "./graph-supervisor.js";

/** Bytes of content in one response, before base64. */
const CHUNK_BYTES = 2 ** 19;
const MAX_STAGED_BYTES = 2 ** 28;
const FLUSH_MS = 30_000;
/** Queries wait for replicas, which are mostly late by a few milliseconds. */
const AWAIT_MS = 1000;
const POLL_MS = 2;
/** Without a move for so long, all that it needs is forgotten: also 2 bytes a vertex. */
const IDLE_MS = 120_000;

/** Where content continues. */
interface ContentPlace {
  readonly graph: string;
  readonly slot: number;
  readonly offset: number;
}

interface StagedChunk extends ContentPlace {
  /** Bytes of the whole content. */
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

/** Anchors have no digest: they may change in each group. */
const ANCHORS = "anchors";

export class SlotShare {
  readonly #graphs: GraphSupervisor;
  readonly #slots: KeptSlots;
  readonly #byGraph = new Map<string, GraphSlots>();
  /** By graph and slot. */
  readonly #encoded = new Map<string, Uint8Array>();
  #stagedFor = "";
  #staged = new Map<string, Staged>();
  #stagedBytes = 0;
  readonly #idle: NodeJS.Timeout;

  constructor(graphs: GraphSupervisor, slots: KeptSlots, idleMs = IDLE_MS) {
    this.#graphs = graphs;
    this.#slots = slots;
    this.#idle = setTimeout(() => this.#forget(), idleMs).unref();
  }

  #forget(): void {
    this.#byGraph.clear();
    this.#encoded.clear();
    this.#unstage();
  }

  /** Returns whether this instance may change its graphs, and the latest term that it knows. */
  async leadership(): Promise<Leadership> {
    if (this.#slots.isDispatcher) return { leads: false, term: 0 };
    const all = await this.#all();
    const { isInGroup, group } = this.#graphs.clock;
    const isWritable = all.every(({ store }) => !store.isReadonly);
    if (!isInGroup) return { leads: isWritable, term: 0 };
    return { leads: isWritable && group.role === "leading", term: group.epoch };
  }

  /** @throws Error if another instance leads, or did meanwhile: it may have other changes */
  async requireTerm(term: number): Promise<void> {
    const own = await this.leadership();
    if (!isLeading(own, term)) throw new Error(`this instance does not lead in term ${term}`);
  }

  async digests(): Promise<GraphDigests> {
    if (this.#slots.isDispatcher) return {};
    const all = await this.#all();
    return Object.fromEntries(all.map(({ store }) => [store.name, describeDigest(store)]));
  }

  /** Waits for a while until the graphs have what those of another member of the group had. */
  async await(wanted: GraphDigests): Promise<object> {
    for (const deadline = performance.now() + AWAIT_MS; ; ) {
      if (isReached(await this.digests(), wanted)) return { isReached: true };
      if (performance.now() > deadline) return { isReached: false };
      await sleep(POLL_MS);
    }
  }

  async usedBytes(): Promise<number> {
    if (this.#slots.isDispatcher) return 0;
    return (await this.#all()).reduce((sum, { store }) => sum + measureBytes(store), 0);
  }

  /** Waits for changes that began before the slots became what they are. */
  async settle(): Promise<void> {
    if (this.#slots.isDispatcher) return;
    for (const graph of await this.#all()) graph.settle();
  }

  /** Returns the vertices of each slot by graph, anchors among them. */
  async count(): Promise<Record<string, number[]>> {
    this.#idle.refresh();
    const all = await this.#all();
    return Object.fromEntries(all.map((graph) => [graph.store.name, [...graph.count()]]));
  }

  /** Encodes slots for `read`, at least one, until they have `maxWords`. */
  async encode(slots: readonly number[], maxWords: number): Promise<object> {
    this.#idle.refresh();
    this.#encoded.clear();
    const all = await this.#all();
    const encoded = all.map((graph) => ({ graph, ...graph.encode(slots, maxWords) }));
    const count = Math.min(...encoded.map(({ contents }) => contents.length));
    const graphs = encoded.map(({ graph, contents, names }) => {
      const shown = contents.slice(0, count).map(({ slot, words, digest, vertices, arcs }) => {
        this.#offer(graph, slot, words);
        return { slot, bytes: words.byteLength, digest, vertices, arcs };
      });
      return { graph: graph.store.name, slots: shown, names };
    });
    return { slots: slots.slice(0, count), graphs };
  }

  /** Encodes the anchors for `read`, as a slot after the last one. */
  async encodeAnchors(): Promise<object> {
    const slot = this.#slots.record.map.count;
    const graphs = (await this.#all()).map((graph) => {
      const { words, names } = graph.encodeAnchors();
      this.#offer(graph, slot, words);
      const shown = { slot, bytes: words.byteLength, digest: ANCHORS, vertices: 0, arcs: 0 };
      return { graph: graph.store.name, slots: [shown], names };
    });
    return { slots: [], graphs };
  }

  #offer({ store }: GraphSlots, slot: number, words: Uint32Array): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    this.#encoded.set(placeOf(store.name, slot), bytes);
  }

  /** Returns the next bytes of encoded slots, at least of one, each as base64. */
  read(wanted: readonly ContentPlace[]): string[] {
    this.#idle.refresh();
    const read: string[] = [];
    let left = CHUNK_BYTES;
    for (const { graph, slot, offset } of wanted) {
      if (left <= 0) break;
      const found = this.#encoded.get(placeOf(graph, slot));
      if (found === undefined) throw new Error(`slot ${slot} of "${graph}" is not encoded`);
      const { buffer, byteOffset, byteLength } = found.subarray(offset, offset + left);
      left -= byteLength;
      read.push(Buffer.from(buffer, byteOffset, byteLength).toString("base64"));
    }
    return read;
  }

  /** Keeps received content of another group. */
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
    const place = placeOf(graph, slot);
    if (offset === 0) {
      const former = this.#staged.get(place)?.bytes.length ?? 0;
      const total = this.#stagedBytes - former + length;
      if (total > MAX_STAGED_BYTES) throw new Error("content of the slots is too large");
      this.#stagedBytes = total;
      this.#staged.set(place, { bytes: new Uint8Array(length), received: 0, names });
    }
    const staged = this.#staged.get(place);
    if (staged === undefined || staged.received !== offset || offset + bytes.length > length) {
      throw new Error(`slot ${slot} of "${graph}" does not continue at ${offset}`);
    }
    staged.bytes.set(bytes, offset);
    staged.received += bytes.length;
  }

  /** Holds a move to a group of one member, which has nothing of its content until `write`. */
  prepare(move: SlotMove): SlotRecord {
    // Another write may have begun before.
    if (this.#slots.record.move?.id !== move.id) this.#slots.setAbsentMove(move.id);
    return this.#slots.change({ do: "hold", move });
  }

  /**
   * Holds a move to this group, writes the received slots to the graphs, and resolves when both are
   * durable.
   * @returns digests of what was written by graph and slot, and the time that it took before the
   *   flush; `missing`: slots that were not received, so that nothing has changed
   */
  async write(move: SlotMove): Promise<object> {
    const sinceMs = performance.now();
    const { id, slots, to } = move;
    if (to !== this.#slots.own) throw new Error("the slots do not move to this group");
    const all = await this.#all();
    const places = all.flatMap((graph) => slots.map((slot) => ({ graph, slot })));
    const missing = places.filter(({ graph, slot }) => {
      const staged = this.#staged.get(placeOf(graph.store.name, slot));
      return (
        id !== this.#stagedFor || staged === undefined || staged.received < staged.bytes.length
      );
    });
    if (missing.length > 0) return { missing: missing.map(({ slot }) => slot) };
    this.#slots.setAbsentMove(null);
    const record = this.#slots.change({ do: "hold", move });
    for (const graph of all) {
      const anchors = this.#staged.get(placeOf(graph.store.name, this.#slots.record.map.count));
      if (anchors !== undefined) write(graph, anchors);
    }
    // An earlier attempt may have written a part.
    for (const graph of all) graph.remove(slots);
    for (const { graph, slot } of places) {
      write(graph, this.#staged.get(placeOf(graph.store.name, slot))!);
    }
    const flushed = this.#flush();
    flushed.catch(() => undefined);
    const digests = Object.fromEntries(
      all.map((graph) => {
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
   * Removes what a move has given away from a group of one member: responses are of the new map
   * before that is durable. After a crash they are of no map, until `remove`.
   */
  async clearOut(id: string): Promise<object> {
    const sinceMs = performance.now();
    await this.#removeContent(id);
    this.#slots.setAbsentMove(id);
    return { ms: performance.now() - sinceMs };
  }

  /**
   * Removes what a move has given away, or what an undone move has brought.
   * @returns how long it took before the flush
   */
  async remove(id: string): Promise<object> {
    const sinceMs = performance.now();
    await this.#removeContent(id);
    const ms = performance.now() - sinceMs;
    await this.#flush();
    return { ms, digests: await this.digests() };
  }

  async #removeContent(id: string): Promise<void> {
    const { slots } = this.#require(id);
    this.#idle.refresh();
    for (const graph of await this.#all()) graph.remove(slots);
  }

  #require(id: string) {
    const { move } = this.#slots.record;
    if (move === null || move.id !== id) throw new Error("this move is not held here");
    const isSource = move.from === this.#slots.own;
    if (isSource && !move.isGiven) throw new Error("the slots are not given");
    return move;
  }

  /** Resolves when all changes so far are durable, in the whole group if it has a leader. */
  async #flush(): Promise<void> {
    const { clock } = this.#graphs;
    const confirmed = answerInTime(clock.waitConfirmed(clock.nextFlush), FLUSH_MS);
    if (!(await confirmed.catch(() => false)))
      throw new Error("the changes are not durable: see the log");
  }

  async #all(): Promise<GraphSlots[]> {
    const all: GraphSlots[] = [];
    for (const name of this.#slots.graphs) {
      await this.#graphs.openConfigured(name);
      const store = this.#graphs.storeOf(name)!;
      const known = this.#byGraph.get(name);
      const graph = known?.store === store ? known : new GraphSlots(store, threadSlots()!);
      this.#byGraph.set(name, graph);
      all.push(graph);
    }
    return all;
  }
}

/** Returns the key of the content of a slot. */
function placeOf(graph: string, slot: number): string {
  return `${graph} ${slot}`;
}

function write(graph: GraphSlots, { bytes, names }: Staged): void {
  graph.write(new Uint32Array(bytes.buffer), names);
}
