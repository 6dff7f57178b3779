// Operations on a graph as a whole: counts, names, read-only state, events, saving, indexes.

import {
  clear,
  enumerate,
  type NameKind,
  setAutoTimes,
  setReadonly,
  truncate,
} from "../changes/graph.js";
import {
  indexProperties,
  type PropertyIndexState,
  propertyIndexes,
} from "../changes/index-properties.js";
import {
  dropTextIndex,
  indexTexts,
  TEXT_INDEX_OPTIONS,
  type TextIndexInfo,
  type TextIndexOptions,
  textIndexes,
} from "../changes/index-texts.js";
import {
  dropVectorIndex,
  indexVectors,
  type VectorIndexOptions,
  type VectorIndexState,
  vectorIndexes,
} from "../changes/index-vectors.js";
import { makeReadonly } from "../changes/sessions/make-readonly.js";
import { saveGraph } from "../manager/snapshot/save-graph.js";
import { threadGraphs } from "../manager/thread-graphs.js";
import { Header } from "../memory/layout.js";
import {
  checkNumber,
  checkOptions,
  checkText,
  checkTextOrNull,
  checkTimeout,
  refuseFurther,
} from "../model/check-argument.js";
import { AccessError, DataError, EnumerationError, ValueError } from "../model/errors.js";
import { findAnchor } from "../query/match/anchor.js";
import type { VertexCondition } from "../query/parse/query-options.js";
import { UNTYPED } from "../store/code-ranges.js";
import { setEventsEnabled } from "../store/event-switches.js";
import { resetInputSerial } from "../store/input-serial.js";
import type { NameEnumeration } from "../store/names.js";
import { lockDeadlineAfter } from "../store/session-view.js";
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
import { GraphFeed } from "./graph-feed.js";
import { type EventParameters, eventBacklog, eventParameters } from "./status/event-status.js";
import { graphStatus } from "./status/graph-status.js";
import { type MemoryUsage, memoryUsage } from "./status/memory-usage.js";

/** Counts of `objcnt`. */
export interface ObjectCounts {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly vectors: number;
}

/** Names in use: their codes and how often they occur. */
export type NameList = Readonly<Record<string, readonly [code: number, count: number]>>;

export class GraphManagement extends GraphFeed {
  /** Absolute path of its folder; null for an in-memory graph. */
  get path(): string | null {
    return this.access.path;
  }

  /** Number of vertices, including virtual ones. */
  get order(): number {
    return this.access.store.order;
  }

  /** Number of arcs. */
  get size(): number {
    return this.access.store.size;
  }

  /** Number of vertices, arcs, properties and vectors. */
  get objcnt(): ObjectCounts {
    const { order, size, propertyCount, vectorFields } = this.access.store;
    return { order, size, properties: propertyCount, vectors: vectorFields.count };
  }

  /** The graph's clock, in seconds since 1970. */
  get ts(): number {
    return Date.now() / 1000;
  }

  /** Returns the number of vertices of a type; null: of those without a type. */
  orderOf(type: string | null, ...further: never[]): number {
    refuseFurther(further, "type");
    const { types, typeLists } = this.access.store;
    checkTextOrNull(type, "a type");
    return typeLists.count(type === null ? UNTYPED : types.codeOf(type));
  }

  /**
   * Removes all vertices, or those of a type, with their arcs; returns the number of vertices.
   * @throws AccessError
   */
  truncate(type?: string | null, ...further: never[]): number {
    refuseFurther(further, "type");
    return truncate(this.access, type);
  }

  /**
   * Saves the graph to its folder; returns the number of 8-byte words written.
   * @param timeout milliseconds to wait for another save
   * @param force writes everything, not just changes
   * @throws AccessError while this session holds vertices
   * @throws DataError the graph cannot be stored
   */
  save(timeout = 1000, force = false, ...further: never[]): number {
    refuseFurther(further, "force");
    checkTimeout(timeout);
    const { store, session, path } = this.access;
    const held = session.readonlyHeld + session.writableHeld;
    if (held > 0) {
      const reason = `Cannot serialize when current thread holds ${held} vertex locks`;
      throw new AccessError(`Graph serialization error: ${reason}`);
    }
    if (path === null)
      throw new DataError(`graph "${store.name}" is in-memory only and has no folder to save to`);
    return saveGraph(store, path, { isForced: force, timeoutMs: timeout });
  }

  /**
   * Permanently deletes the graph and its data, for all sessions.
   * @throws AccessError
   */
  erase(): void {
    clear(this.access);
    threadGraphs().remove(this.name, true);
    this.close();
  }

  /**
   * Resends to subscribers the graphs that have diverged, or all graphs (`hard`).
   * @returns false if it is still running after `timeout` milliseconds
   * @throws SvcError SVC2530
   */
  sync(hard = false, timeout = 30_000, ...further: never[]): boolean {
    refuseFurther(further, "timeout");
    checkTimeout(timeout);
    return threadGraphs().sync(hard ? "all" : "different", timeout);
  }

  /**
   * Makes the graph read-only; also pauses expiry.
   * @param timeout milliseconds to wait for vertices locked for writing
   * @param force ignores those vertices
   * @throws OperationTimeout
   */
  setGraphReadonly(timeout = 1000, force = false, ...further: never[]): void {
    refuseFurther(further, "force");
    makeReadonly(this.access, setReadonly, lockDeadlineAfter(timeout), force);
  }

  /** Makes the graph writable again, unless the whole system is read-only. */
  clearGraphReadonly(): void {
    setReadonly(this.access.store, false);
  }

  /** Returns whether the graph is read-only. */
  isGraphReadonly(): boolean {
    return this.access.store.isReadonly;
  }

  /** Returns whether the graph is excluded from replication. */
  isGraphLocal(): boolean {
    return this.access.isLocal;
  }

  /** Returns the state of the graph: counts, names, memory, queries. */
  status(...further: never[]): ReturnType<typeof graphStatus> {
    refuseFurther(further);
    const { store, path } = this.access;
    return graphStatus(store, path);
  }

  /**
   * Returns bytes of memory by metric, or of one metric.
   * @throws ValueError
   */
  getMemoryUsage(): MemoryUsage;
  getMemoryUsage(metric: string): number;
  getMemoryUsage(metric?: string, ...further: never[]): MemoryUsage | number {
    refuseFurther(further, "metric");
    const usage = memoryUsage(this.access.store);
    if (metric === undefined) return usage;
    checkText(metric, "a metric");
    if (!Object.hasOwn(usage, metric)) throw new ValueError("unknown metric");
    return usage[metric]!;
  }

  /** Resets the query counters. */
  resetCounters(): void {
    this.access.store.meter.reset();
  }

  /**
   * Sets the serial number of the last applied transaction (`status().transaction.in`); returns it.
   */
  resetSerial(serial = 0, ...further: never[]): number {
    refuseFurther(further, "serial");
    return resetInputSerial(this.access.store, serial);
  }

  /**
   * Returns the code of a relationship, assigning one if it has none.
   * @param code code that it must have, or is assigned
   * @throws EnumerationError, AccessError
   */
  enumRelationship(name: string, code?: number, ...further: never[]): number {
    refuseFurther(further, "code");
    return this.#enumerate("relationship", name, code);
  }

  /**
   * Returns the relationship with a code.
   * @throws EnumerationError
   */
  relationship(code: number, ...further: never[]): string {
    refuseFurther(further, "code");
    return nameOf(this.access.store.relationships, code);
  }

  /** Returns the relationships in use. */
  relationships(): NameList {
    return this.access.store.relationships.list();
  }

  /**
   * Returns the code of a vertex type, assigning one if it has none.
   * @throws EnumerationError, AccessError
   */
  enumVertexType(name: string, code?: number, ...further: never[]): number {
    refuseFurther(further, "code");
    return this.#enumerate("type", name, code);
  }

  /**
   * Returns the vertex type with a code.
   * @throws EnumerationError
   */
  vertexType(code: number, ...further: never[]): string {
    refuseFurther(further, "code");
    return nameOf(this.access.store.types, code);
  }

  /** Returns the vertex types in use. */
  vertexTypes(): NameList {
    return this.access.store.types.list();
  }

  /**
   * Returns the code of a property key, assigning one if it has none.
   * @throws EnumerationError, AccessError
   */
  enumKey(name: string, code?: number, ...further: never[]): number {
    refuseFurther(further, "code");
    return this.#enumerate("key", name, code);
  }

  /**
   * Returns the property key with a code.
   * @throws EnumerationError
   */
  key(code: number, ...further: never[]): string {
    refuseFurther(further, "code");
    return nameOf(this.access.store.keys, code);
  }

  /** Returns the property keys in use. */
  propertyKeys(): NameList {
    return this.access.store.keys.list();
  }

  /** Returns the code of a string value: 32 hex digits, the same in every process. */
  enumValue(text: string, ...further: never[]): string {
    refuseFurther(further, "text");
    void this.access;
    return codeOfText(text);
  }

  /**
   * Returns the string with a code, if a property has it. Visits all vertices.
   * @throws EnumerationError
   */
  value(code: string, ...further: never[]): string {
    refuseFurther(further, "code");
    return textOfCode(this.access.store, code);
  }

  /** Returns the string values of properties, with codes and counts. Visits all vertices. */
  propertyStringValues(): TextValues {
    return textValues(this.access.store);
  }

  /**
   * Returns, and optionally sets, whether new arcs get creation and modification times, as by
   * M_AUTOTM. The setting applies to all sessions.
   * @param isOn omitted: no change
   * @throws AccessError
   */
  autoArcTimestamps(isOn?: boolean, ...further: never[]): boolean {
    refuseFurther(further, "isOn");
    const { store } = this.access;
    if (isOn !== undefined) setAutoTimes(store, isOn);
    return store.memory.header.words[Header.AutoArcTimes] !== 0;
  }

  /**
   * Prints a description of a vertex.
   * @throws KeyError
   */
  showVertex(id: VertexName, ...further: never[]): void {
    refuseFurther(further, "id");
    const { store } = this.access;
    process.stdout.write(`${vertexText(store, findAnchor(store, toVertexKey(store, id)))}\n`);
  }

  /** Prints the locked vertices with their sessions. */
  showOpenVertices(): void {
    process.stdout.write(`${locksText(this.access)}\n`);
  }

  /**
   * Returns a one-line description of a vertex's storage.
   * @throws KeyError
   */
  vertexDescriptor(id: VertexName, ...further: never[]): string {
    refuseFurther(further, "id");
    const { store } = this.access;
    return descriptorText(store, findAnchor(store, toVertexKey(store, id)));
  }

  /**
   * Prints arcs of the vertices that meet a condition.
   * @throws QueryError, SearchError
   */
  showArcs(condition: VertexCondition = "*", hits = 25, ...further: never[]): null {
    refuseFurther(further, "hits");
    process.stdout.write(`${arcsText(this.access.store, condition, hits)}\n`);
    return null;
  }

  /**
   * Enables the removal of expired vertices and arcs.
   * @throws AccessError while the graph is read-only
   */
  eventEnable(): void {
    setEventsEnabled(this.access.store, true);
  }

  /** Disables the removal of expired vertices and arcs. */
  eventDisable(): void {
    setEventsEnabled(this.access.store, false);
  }

  /** Does nothing: expiry is always scheduled with the change. */
  eventFlush(): void {
    void this.access;
  }

  /** Returns the state of the event processor in one line. */
  eventBacklog(): string {
    return eventBacklog(this.access.store);
  }

  /** Returns state and limits of the event processor by name. */
  eventParam(): EventParameters {
    return eventParameters(this.access.store);
  }

  /**
   * Creates an index, which is maintained from then on. An index of `vectors` is built in the
   * background and used by `nearest` with `approximate`. An index of a `property`, for equality,
   * ranges and string prefixes, or of `ids`, for prefixes, is complete at once.
   * An index of `text` is built in the background and used by `search`.
   * @throws ValueError, AccessError, CapacityError
   */
  index(what: "vectors", options: VectorIndexOptions): void;
  index(what: "property", options: { readonly key: string }): void;
  index(what: "ids"): void;
  index(what: "text", options: TextIndexOptions): void;
  index(what: string, options?: object, ...further: never[]): void {
    refuseFurther(further, "options");
    const { store } = this.access;
    checkIndexOptions(what, options, INDEX_OPTIONS);
    if (what === "vectors") indexVectors(store, options as VectorIndexOptions);
    else if (what === "text") indexTexts(store, options as TextIndexOptions);
    else indexProperties(store, keyOfIndex(what, options), true);
  }

  /**
   * Drops an index; false if there is none. An index of vectors is freed in the background.
   * @throws ValueError, AccessError
   */
  dropIndex(what: "vectors", options: Pick<VectorIndexOptions, "length" | "name">): boolean;
  dropIndex(what: "property", options: { readonly key: string }): boolean;
  dropIndex(what: "ids"): boolean;
  dropIndex(what: "text", options?: { readonly name?: string }): boolean;
  dropIndex(what: string, options?: object, ...further: never[]): boolean {
    refuseFurther(further, "options");
    const { store } = this.access;
    checkIndexOptions(what, options, DROP_OPTIONS);
    if (what === "vectors") return dropVectorIndex(store, options as VectorIndexOptions);
    if (what === "text")
      return dropTextIndex(store, (options as { name?: string } | undefined)?.name);
    return indexProperties(store, keyOfIndex(what, options), false);
  }

  /** Returns the indexes of properties and of ids. */
  propertyIndexes(): PropertyIndexState[] {
    return propertyIndexes(this.access.store);
  }

  /** Returns the indexes of texts and their progress. */
  textIndexes(): TextIndexInfo[] {
    return textIndexes(this.access.store);
  }

  /** Returns the indexes of vectors and their progress. */
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
  throw new ValueError("unknown index; expected `vectors`, `text`, `property` or `ids`");
}

type IndexOptions = ReadonlyMap<string, ReadonlySet<string>>;
const INDEX_OPTIONS: IndexOptions = new Map([
  ["vectors", new Set(["length", "ef", "measure", "name", "signs"])],
  ["text", TEXT_INDEX_OPTIONS],
  ["property", new Set(["key"])],
  ["ids", new Set<string>()],
]);
const DROP_OPTIONS: IndexOptions = new Map([
  ["vectors", new Set(["length", "name"])],
  ["text", new Set(["name"])],
  ["property", new Set(["key"])],
  ["ids", new Set<string>()],
]);

/** @throws TypeError */
function checkIndexOptions(what: string, options: object | undefined, names: IndexOptions): void {
  const known = names.get(what);
  if (known !== undefined && options !== undefined) checkOptions(options, known);
}

/** @throws EnumerationError */
function nameOf(names: NameEnumeration, code: number): string {
  const name = Number.isInteger(code) ? names.nameOf(code) : "";
  if (name === "") throw new EnumerationError("undefined enumeration");
  return name;
}
