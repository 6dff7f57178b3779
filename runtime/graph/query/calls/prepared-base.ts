// What prepared queries have in common: what became of the last execution, the result kept for the
// case that nothing has changed since, and the anchor of those that have one.

import { Header } from "../../memory/layout.js";
import { M_LSH } from "../../model/constants.js";
import { AccessError, KeyError, QueryError, SearchError, ValueError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import type { ArcLiteral } from "../match/arc-value-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";

/** How a prepared query is executed. */
export interface PreparedExecuteOptions extends ExecuteOptions {
  /** True: the last result, if the graph has not changed since. */
  readonly cache?: boolean | number;
}

/** Numbers of failures (interface, "reason"). */
const Reason = { None: 0, NoVertex: 0x40, NoAnchor: 0x41, Timeout: 0x9e, Error: 0xeee } as const;

export abstract class PreparedQuery {
  abstract readonly type: "Neighborhood" | "Global" | "Adjacency" | "Aggregator";
  /** Text of the last failure, null if the last execution did not fail. */
  error: string | null = null;
  /** Number of the last failure, 0 for none. */
  reason = 0;
  /** Operation count of the graph that the last execution saw. */
  opid = 0;
  /** Seconds that the last execution took. */
  texec = 0;
  protected readonly store: GraphStore;
  #cached: unknown;
  #cachedFor: string | null = null;

  constructor(store: GraphStore) {
    this.store = store;
  }

  protected abstract perform(options: ExecuteOptions): unknown;

  /** @throws AccessError once the graph is erased: there is nothing left to look at */
  protected refuseErased(): void {
    const isErased = this.store.memory.header.words[Header.Erased] !== 0;
    if (isErased) throw new AccessError("Graph cannot be accessed");
  }

  /** What the result depends on beside the graph and the options of its execution. */
  protected get cacheKey(): string {
    return "";
  }

  /**
   * Executes and takes down what became of it.
   * @throws QueryError, TypeError options that the call does not have; AccessError
   */
  protected run(
    call: "execute" | "executeWhole",
    options: PreparedExecuteOptions | undefined,
  ): unknown {
    this.refuseErased();
    const given = checkedArguments(call, options);
    const { hits = -1, offset = 0, cache = false } = given;
    if (offset < 0) throw new QueryError("offset cannot be negative");
    const opid = this.store.operationCount;
    const cacheKey = cache ? `${opid} ${hits} ${offset} ${this.cacheKey}` : null;
    if (cacheKey !== null && cacheKey === this.#cachedFor) return this.#cached;
    this.opid = opid;
    const begun = performance.now();
    try {
      const result = this.perform(given);
      this.error = null;
      this.reason = Reason.None;
      this.#cached = cacheKey === null ? undefined : result;
      this.#cachedFor = cacheKey;
      return result;
    } catch (error) {
      this.error = (error as Error).message;
      this.reason = reasonOf(error);
      throw error;
    } finally {
      this.texec = (performance.now() - begun) / 1000;
    }
  }
}

export abstract class AnchoredQuery extends PreparedQuery {
  /** Filter of the first level. */
  protected abstract readonly arc: ArcTest;
  #id: string | null = null;
  #handle = 0;
  #generation = 0;

  /** The anchor by id or internalid. */
  get id(): string | null {
    return this.#handle === 0 ? this.#id : this.store.ids.idOf(this.#handle);
  }

  /** A `Vertex` is kept by its internalid, a handle as it is. */
  set id(anchor: Anchor | null) {
    if (typeof anchor === "number") {
      this.vertex = anchor;
      return;
    }
    this.#handle = 0;
    const isId = anchor === null || typeof anchor === "string";
    this.#id = isId ? anchor : this.store.ids.internalIdOf(findAnchor(this.store, anchor));
  }

  /** Handle of the anchor, for executions that need not look an id up. */
  get vertex(): number {
    return this.anchor();
  }

  /** @throws KeyError no such vertex */
  set vertex(anchor: Anchor) {
    this.#handle = findAnchor(this.store, anchor);
    this.#generation = this.store.vertices.generationOf(this.#handle);
  }

  /**
   * What the first level's values are compared with; a pair for ranges.
   * @throws QueryError without a filter on that level, ValueError without a value in it
   */
  get arcval(): ArcLiteral {
    return this.#arcWithValue().literal;
  }

  set arcval(literal: ArcLiteral) {
    this.#arcWithValue().literal = literal;
  }

  /**
   * Bits and distance of the first level's M_LSH filter.
   * @throws QueryError without a filter on that level, ValueError without a pattern in it
   */
  get arclsh(): ArcLiteral {
    return this.#arcWithPattern().literal;
  }

  set arclsh(pattern: readonly [bits: number, distance: number]) {
    this.#arcWithPattern().literal = pattern;
  }

  /** @throws KeyError no such vertex, or none was given */
  protected anchor(): number {
    if (this.#handle !== 0) {
      const { vertices } = this.store;
      const isSame = vertices.generationOf(this.#handle) === this.#generation;
      if (isSame && vertices.isUsed(this.#handle)) return this.#handle;
      throw new KeyError(`Object does not exist: '${this.#handle}'`);
    }
    if (this.#id === null) throw new KeyError("No object : 'Unspecified object'");
    return findAnchor(this.store, this.#id);
  }

  protected override get cacheKey(): string {
    return `${this.#handle} ${this.#generation} ${this.#id} ${this.arc.literal}`;
  }

  #arcWithValue(): ArcTest {
    const { parts } = this.arc;
    if (parts.relationship === null && parts.modifier === 0) {
      throw new QueryError("query has no first-level arc filter");
    }
    if (parts.comparison === 0) throw new ValueError("first-level arc filter compares no value");
    return this.arc;
  }

  #arcWithPattern(): ArcTest {
    const arc = this.#arcWithValue();
    if (arc.parts.modifier === M_LSH && typeof arc.literal !== "number") return arc;
    throw new ValueError("first-level arc filter has no pattern");
  }
}

function reasonOf(error: unknown): number {
  if (error instanceof KeyError) {
    return error.message.startsWith("No object") ? Reason.NoAnchor : Reason.NoVertex;
  }
  const isTimeout = error instanceof SearchError && /timeout/i.test(error.message);
  return isTimeout ? Reason.Timeout : Reason.Error;
}
