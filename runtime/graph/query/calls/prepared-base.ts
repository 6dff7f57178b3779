// Base of prepared queries: the outcome of the last execution, the result cached until the graph
// changes, and the anchor of the queries that have one.

import { Header } from "../../memory/layout.js";
import { M_LSH } from "../../model/constants.js";
import { AccessError, KeyError, QueryError, SearchError, ValueError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import type { ArcLiteral } from "../match/arc-value-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import type { Plan } from "./plan.js";

/** Execution options of a prepared query. */
export interface PreparedExecuteOptions extends ExecuteOptions {
  /** True to return the last result if the graph has not changed since. */
  readonly cache?: boolean | number;
}

/** Failure numbers (queries, "Prepared queries"). */
const Reason = { None: 0, NoVertex: 0x40, NoAnchor: 0x41, Timeout: 0x9e, Error: 0xeee } as const;

/** Execution options of a count, which has no page. */
export type CountOptions = Omit<ExecuteOptions, "hits" | "offset">;

export abstract class PreparedQuery<
  Result = unknown,
  Options extends PreparedExecuteOptions = PreparedExecuteOptions,
> {
  abstract readonly type: "Neighborhood" | "Global" | "Adjacency" | "Aggregator";
  /** Message of the last failure; null if the last execution succeeded. */
  error: string | null = null;
  /** Number of the last failure; 0 for none. */
  reason = 0;
  /** Operation count of the graph at the last execution. */
  opid = 0;
  /** Duration of the last execution in seconds. */
  texec = 0;
  protected readonly store: GraphStore;
  protected readonly plan: Plan;
  readonly #call: "execute" | "executeWhole";
  #cached: unknown;
  #cachedFor: string | null = null;

  /** @param call call whose options an execution accepts */
  constructor(store: GraphStore, plan: Plan, call: "execute" | "executeWhole") {
    this.store = store;
    this.plan = plan;
    this.#call = call;
  }

  /** Returns the handle of the vertex to start at; 0 in searches of the whole graph. */
  protected anchor(): number {
    return 0;
  }

  /** @throws AccessError if the graph is erased */
  protected refuseErased(): void {
    const isErased = this.store.memory.header.words[Header.Erased] !== 0;
    if (isErased) throw new AccessError("Graph cannot be accessed");
  }

  /** Inputs of the result besides the graph and the execution options. */
  protected get cacheKey(): string {
    return "";
  }

  /**
   * Executes the query and records the outcome.
   * @throws KeyError, QueryError, SearchError, TypeError; AccessError if the graph is erased
   */
  execute(options?: Options): Result {
    this.refuseErased();
    const checkedOptions = checkedArguments<PreparedExecuteOptions>(this.#call, options);
    const { hits = -1, offset = 0, cache = false } = checkedOptions;
    if (offset < 0)
      throw invalidArgument("offset cannot be negative", offset, "0 or more", ".offset");
    const { operationCount: opid, settledCount } = this.store;
    // A rollback resets the operation count, also that of another thread during the query.
    const isKept = cache && settledCount !== -1 && !this.plan.isVolatile;
    const cacheKey = isKept ? `${settledCount} ${hits} ${offset} ${this.cacheKey}` : null;
    if (cacheKey !== null && cacheKey === this.#cachedFor) return this.#cached as Result;
    this.opid = opid;
    const begun = performance.now();
    try {
      const result = this.plan.execute(this.anchor(), checkedOptions) as Result;
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

export abstract class AnchoredQuery<
  Result = unknown,
  Options extends PreparedExecuteOptions = PreparedExecuteOptions,
> extends PreparedQuery<Result, Options> {
  #id: string | null = null;
  #handle = 0;
  #generation = 0;

  constructor(
    store: GraphStore,
    plan: Plan,
    call: "execute" | "executeWhole",
    anchor: Anchor | null,
  ) {
    super(store, plan, call);
    this.id = anchor;
  }

  /** The anchor, by id or internalid. */
  get id(): string | null {
    return this.#handle === 0 ? this.#id : this.store.ids.idOf(this.#handle);
  }

  /** Stores the internalid of a `Vertex`, and a handle unchanged. */
  set id(anchor: Anchor | null) {
    if (typeof anchor === "number") {
      this.vertex = anchor;
      return;
    }
    this.#handle = 0;
    const isId = anchor === null || typeof anchor === "string";
    this.#id = isId ? anchor : this.store.ids.internalIdOf(findAnchor(this.store, anchor));
  }

  /** Handle of the anchor; saves executions the lookup of an id. */
  get vertex(): number {
    return this.anchor();
  }

  /** @throws KeyError no such vertex */
  set vertex(anchor: Anchor) {
    this.#handle = findAnchor(this.store, anchor);
    this.#generation = this.store.vertices.generationOf(this.#handle);
  }

  /**
   * Literal that the first level compares arc values with; a pair for ranges.
   * @throws QueryError the level has no filter; ValueError the filter has no value
   */
  get arcval(): ArcLiteral {
    return this.#arcWithValue().literal;
  }

  set arcval(literal: ArcLiteral) {
    this.#arcWithValue().literal = literal;
  }

  /**
   * Bits and distance of the first level's M_LSH filter.
   * @throws QueryError the level has no filter; ValueError the filter has no pattern
   */
  get arclsh(): ArcLiteral {
    return this.#arcWithPattern().literal;
  }

  set arclsh(pattern: readonly [bits: number, distance: number]) {
    this.#arcWithPattern().literal = pattern;
  }

  /** @throws KeyError no such vertex, or no anchor is set */
  protected override anchor(): number {
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
    return `${this.#handle} ${this.#generation} ${this.#id} ${this.plan.arc?.literal}`;
  }

  #arcWithValue(): ArcTest {
    const { arc } = this.plan;
    if (arc === null || (arc.parts.relationship === null && arc.parts.modifier === 0)) {
      throw new QueryError("query has no first-level arc filter");
    }
    if (arc.parts.comparison === 0) {
      throw new ValueError("first-level arc filter compares no value");
    }
    return arc;
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
