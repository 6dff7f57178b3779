// Everything about a graph as a whole: counts, names, readonly state, events, saving.

import { enumerate, type NameKind, setAutoTimes, setReadonly, truncate } from "../changes/graph.js";
import {
  indexProperties,
  type PropertyIndexState,
  propertyIndexes,
} from "../changes/index-properties.js";
import {
  dropVectorIndex,
  indexVectors,
  type VectorIndexOptions,
  type VectorIndexState,
  vectorIndexes,
} from "../changes/index-vectors.js";
import { lockDeadlineAfter } from "../changes/session-view.js";
import {
  type EventParameters,
  eventBacklog,
  eventParameters,
  setEventsEnabled,
} from "../expiry/event-control.js";
import { threadGraphs } from "../manager/this-thread.js";
import { Header } from "../memory/layout.js";
import { checkNumber, checkText, checkTextOrNull, checkTimeout } from "../model/check-argument.js";
import { AccessError, DataError, EnumerationError, ValueError } from "../model/errors.js";
import { findAnchor } from "../query/match/anchor.js";
import type { VertexCondition } from "../query/parse/query-options.js";
import { resetQueryCounters } from "../query/walk/query-meter.js";
import { makeReadonly } from "../sessions/make-readonly.js";
import { saveGraph } from "../snapshot/save-graph.js";
import { graphStatus } from "../status/graph-status.js";
import { type MemoryUsage, memoryUsage } from "../status/memory-usage.js";
import { UNTYPED } from "../store/code-ranges.js";
import { resetInputSerial } from "../store/input-serial.js";
import type { NameEnumeration } from "../store/names.js";
import { toVertexKey, type VertexName } from "./call-arguments.js";
import {
  arcsText,
  codeOfText,
  descriptorText,
  locksText,
  type TextValues,
  textOfCode,
  textValues,
  vertexText,
} from "./diagnostics.js";
import { GraphQueries } from "./graph-queries.js";

/** What `objcnt` counts. */
export interface ObjectCounts {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly vectors: number;
}

/** Names in use: code, and how often the name is used. */
export type NameList = Readonly<Record<string, readonly [code: number, count: number]>>;

export class GraphManagement extends GraphQueries {
  /** Full path of its folder, null where nothing is stored. */
  get path(): string | null {
    return this.access.path;
  }

  /** Number of vertices, virtual ones included. */
  get order(): number {
    return this.access.store.order;
  }

  /** Number of arcs. */
  get size(): number {
    return this.access.store.size;
  }

  /** Number of vertices, arcs, properties and vectors. */
  get objcnt(): ObjectCounts {
    const { order, size, propertyCount, vectors } = this.access.store;
    return { order, size, properties: propertyCount, vectors: vectors.count };
  }

  /** The graph's clock: seconds since 1970. */
  get ts(): number {
    return Date.now() / 1000;
  }

  /** Number of vertices of a type; null: of those without. */
  orderOf(type: string | null): number {
    const { types, typeLists } = this.access.store;
    checkTextOrNull(type, "a type");
    return typeLists.count(type === null ? UNTYPED : types.codeOf(type));
  }

  /**
   * Removes all vertices, or those of a type, with their arcs; returns how many vertices.
   * @throws AccessError
   */
  truncate(type?: string | null): number {
    return truncate(this.access, type);
  }

  /**
   * Stores the graph in its folder; returns the number of 8-byte words written.
   * @param timeout milliseconds to wait for another save
   * @param force writes everything, not only what has changed
   * @throws AccessError while this session holds vertices
   * @throws DataError where nothing can be stored
   */
  save(timeout = 1000, force = false): number {
    const { store, session, path } = this.access;
    const held = session.readonlyHeld + session.writableHeld;
    if (held > 0) {
      const reason = `Cannot serialize when current thread holds ${held} vertex locks`;
      throw new AccessError(`Graph serialization error: ${reason}`);
    }
    if (path === null) throw new DataError(`graph "${store.name}" has no folder to be saved in`);
    return saveGraph(store, path, { isForced: force, timeoutMs: timeout });
  }

  /**
   * Removes the graph, with all its data, for everybody and for good.
   * @throws AccessError
   */
  erase(): void {
    this.truncate();
    threadGraphs().remove(this.name, true);
    this.close();
  }

  /**
   * Pushes all graphs to attached instances where they differ there, or in any case (`hard`).
   * @returns false if it takes longer than `timeout` milliseconds, and still goes on
   * @throws SvcError SVC2530
   */
  sync(hard = false, timeout = 30_000): boolean {
    checkTimeout(timeout);
    return threadGraphs().sync(hard ? "all" : "different", timeout);
  }

  /**
   * Refuses all changes from now on; also pauses expiry.
   * @param timeout milliseconds to wait for vertices held for writing
   * @param force does not care for them
   * @throws OperationTimeout
   */
  setGraphReadonly(timeout = 1000, force = false): void {
    makeReadonly(this.access, setReadonly, lockDeadlineAfter(timeout), force);
  }

  /** Allows changes again, unless the system as a whole is readonly. */
  clearGraphReadonly(): void {
    setReadonly(this.access.store, false);
  }

  /** True while changes are refused. */
  isGraphReadonly(): boolean {
    return this.access.store.isReadonly;
  }

  /** True when its operations are not passed on to other instances. */
  isGraphLocal(): boolean {
    return this.access.isLocal;
  }

  /** State of the graph: counts, names, memory, queries. */
  status(): ReturnType<typeof graphStatus> {
    const { store, path } = this.access;
    return graphStatus(store, path);
  }

  /**
   * Bytes of memory by metric, or of one metric.
   * @throws ValueError
   */
  getMemoryUsage(): MemoryUsage;
  getMemoryUsage(metric: string): number;
  getMemoryUsage(metric?: string): MemoryUsage | number {
    const usage = memoryUsage(this.access.store);
    if (metric === undefined) return usage;
    checkText(metric, "a metric");
    if (!Object.hasOwn(usage, metric)) throw new ValueError("unknown metric");
    return usage[metric]!;
  }

  /** Sets the query counters to zero. */
  resetCounters(): void {
    resetQueryCounters(this.access.store);
  }

  /** Sets the serial of the last unit taken, as `status().transaction.in` has it; returns it. */
  resetSerial(serial = 0): number {
    return resetInputSerial(this.access.store, serial);
  }

  /**
   * Code of a relationship, which is given one if it has none.
   * @param code that it must have, or is to get
   * @throws EnumerationError, AccessError
   */
  enumRelationship(name: string, code?: number): number {
    return this.#enumerate("relationship", name, code);
  }

  /** @throws EnumerationError */
  relationship(code: number): string {
    return nameOf(this.access.store.relationships, code);
  }

  /** Relationships in use. */
  relationships(): NameList {
    return this.access.store.relationships.list();
  }

  /**
   * Code of a vertex type, which is given one if it has none.
   * @throws EnumerationError, AccessError
   */
  enumVertexType(name: string, code?: number): number {
    return this.#enumerate("type", name, code);
  }

  /** @throws EnumerationError */
  vertexType(code: number): string {
    return nameOf(this.access.store.types, code);
  }

  /** Vertex types in use. */
  vertexTypes(): NameList {
    return this.access.store.types.list();
  }

  /**
   * Code of a property key, which is given one if it has none.
   * @throws EnumerationError, AccessError
   */
  enumKey(name: string, code?: number): number {
    return this.#enumerate("key", name, code);
  }

  /** @throws EnumerationError */
  key(code: number): string {
    return nameOf(this.access.store.keys, code);
  }

  /** Property keys in use. */
  propertyKeys(): NameList {
    return this.access.store.keys.list();
  }

  /** Code of a text that is a value: 32 hex digits, the same in every process. */
  enumValue(text: string): string {
    void this.access;
    return codeOfText(text);
  }

  /**
   * The text with a code, if a property holds it. Looks at all vertices.
   * @throws EnumerationError
   */
  value(code: string): string {
    return textOfCode(this.access.store, code);
  }

  /** Texts that properties hold: codes and how often. Looks at all vertices. */
  propertyStringValues(): TextValues {
    return textValues(this.access.store);
  }

  /**
   * Whether arcs that are connected get their times of creation and change beside them, as by
   * M_AUTOTM; for everybody, from now on.
   * @param isOn without it nothing changes
   * @throws AccessError
   */
  autoArcTimestamps(isOn?: boolean): boolean {
    const { store } = this.access;
    if (isOn !== undefined) setAutoTimes(store, isOn);
    return store.memory.header.words[Header.AutoArcTimes] !== 0;
  }

  /**
   * Writes a vertex to the standard output, for people to read.
   * @throws KeyError
   */
  showVertex(id: VertexName): void {
    const { store } = this.access;
    process.stdout.write(`${vertexText(store, findAnchor(store, toVertexKey(store, id)))}\n`);
  }

  /** Writes who holds which vertices to the standard output. */
  showOpenVertices(): void {
    process.stdout.write(`${locksText(this.access)}\n`);
  }

  /**
   * How a vertex is kept, in one line.
   * @throws KeyError
   */
  vertexDescriptor(id: VertexName): string {
    const { store } = this.access;
    return descriptorText(store, findAnchor(store, toVertexKey(store, id)));
  }

  /**
   * Writes arcs of the vertices that meet a condition to the standard output.
   * @throws QueryError, SearchError
   */
  search(condition: VertexCondition = "*", hits = 25): null {
    process.stdout.write(`${arcsText(this.access.store, condition, hits)}\n`);
    return null;
  }

  /**
   * Lets expired vertices and arcs be removed.
   * @throws AccessError while the graph is readonly
   */
  eventEnable(): void {
    setEventsEnabled(this.access.store, true);
  }

  /** Keeps what has expired. */
  eventDisable(): void {
    setEventsEnabled(this.access.store, false);
  }

  /** Does nothing: every change is scheduled when it is made, not later. */
  eventFlush(): void {
    void this.access;
  }

  /** State of the event processor in one line. */
  eventBacklog(): string {
    return eventBacklog(this.access.store);
  }

  /** State and limits of the event processor by name. */
  eventParam(): EventParameters {
    return eventParameters(this.access.store);
  }

  /**
   * Asks for an index, which is kept up from then on. One of `vectors` is built meanwhile, and used
   * by `nearest` where `approximate` is given. One of a `property`, for equality, ranges and the
   * beginnings of texts, or of `ids`, for their beginnings, is there at once.
   * @throws ValueError, AccessError, CapacityError
   */
  index(what: "vectors", options: VectorIndexOptions): void;
  index(what: "property", options: { readonly key: string }): void;
  index(what: "ids"): void;
  index(what: string, options?: object): void {
    const { store } = this.access;
    if (what === "vectors") indexVectors(store, options as VectorIndexOptions);
    else indexProperties(store, keyOfIndex(what, options), true);
  }

  /**
   * Drops an index; false if there is none. One of vectors is taken apart meanwhile.
   * @throws ValueError, AccessError
   */
  dropIndex(what: "vectors", options: Pick<VectorIndexOptions, "length">): boolean;
  dropIndex(what: "property", options: { readonly key: string }): boolean;
  dropIndex(what: "ids"): boolean;
  dropIndex(what: string, options?: object): boolean {
    const { store } = this.access;
    if (what === "vectors") return dropVectorIndex(store, options as VectorIndexOptions);
    return indexProperties(store, keyOfIndex(what, options), false);
  }

  /** Indexes of properties and of ids. */
  propertyIndexes(): PropertyIndexState[] {
    return propertyIndexes(this.access.store);
  }

  /** Indexes of vectors, and how far they are. */
  indexes(): VectorIndexState[] {
    return vectorIndexes(this.access.store);
  }

  #enumerate(kind: NameKind, name: string, code = 0): number {
    if (typeof name !== "string") throw new TypeError("a name must be a string");
    checkNumber(code, "a code");
    return enumerate(this.access.store, kind, name, code);
  }
}

/** @throws ValueError */
function keyOfIndex(what: string, options: object | undefined): unknown {
  if (what === "ids") return null;
  if (what === "property") return (options as { key?: unknown } | undefined)?.key;
  throw new ValueError("there are indexes of `vectors`, a `property` and `ids`");
}

/** @throws EnumerationError */
function nameOf(names: NameEnumeration, code: number): string {
  const name = Number.isInteger(code) ? names.nameOf(code) : "";
  if (name === "") throw new EnumerationError("undefined enumeration");
  return name;
}
