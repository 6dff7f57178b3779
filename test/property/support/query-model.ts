// The naive model of graph queries: arcs in lists, everything visited every time, the specification
// line by line. It supports the filters and conditions of `random-queries.ts`, and shares no code
// with the engine.

import { nowSeconds } from "../../../runtime/graph/memory/time.js";
import {
  D_ANY,
  D_IN,
  D_OUT,
  M_ANY,
  M_FWDONLY,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../../runtime/graph/model/constants.js";
import { modifierCode } from "../../../runtime/graph/model/modifiers.js";

export interface ModelArc {
  readonly initial: string;
  readonly relationship: string;
  readonly modifier: number;
  readonly value: number;
  readonly terminal: string;
  /** The terminal counts it and does not list it. */
  readonly isForwardOnly: boolean;
}

export interface ModelVertex {
  readonly type: string | null;
  readonly isVirtual: boolean;
  readonly expiresAt: number;
  readonly properties: { readonly [key: string]: number | string };
}

/** One entry of a result; `side` as in `HitSide`. */
export interface ModelHit {
  readonly level: number;
  readonly tail: string;
  readonly arc: ModelArc;
  readonly head: string;
  readonly side: number;
}

type Items = readonly unknown[];
interface Constraints {
  readonly [key: string]: unknown;
}
interface Seen {
  readonly arc: ModelArc;
  readonly head: string;
  readonly side: number;
}

export class QueryModel {
  readonly vertices = new Map<string, ModelVertex>();
  readonly #arcs = { initial: new Map<string, ModelArc[]>(), terminal: new Map() };
  hits: ModelHit[] = [];
  neighbors = 0;
  #isQuiet = false;

  add(arc: ModelArc): void {
    for (const end of ["initial", "terminal"] as const) {
      const known = this.#arcs[end].get(arc[end]);
      if (known === undefined) this.#arcs[end].set(arc[end], [arc]);
      else known.push(arc);
    }
  }

  #outOf(vertex: string): readonly ModelArc[] {
    return this.#arcs.initial.get(vertex) ?? [];
  }

  #into(vertex: string): readonly ModelArc[] {
    return this.#arcs.terminal.get(vertex) ?? [];
  }

  /** Arcs that a neighborhood query collects. */
  neighborhood(anchor: string, rule: Rule, defaultDirection: number): void {
    this.hits = [];
    this.neighbors = 0;
    this.#isQuiet = false;
    this.walk(
      anchor,
      1,
      { ...rule, collect: rule.collect === undefined ? true : rule.collect },
      defaultDirection,
    );
  }

  isAdjacent(anchor: string, rule: Rule): boolean {
    this.#isQuiet = true;
    return this.walk(anchor, 1, { ...rule, collect: false }, D_OUT);
  }

  vertexIds(condition: unknown): string[] {
    this.#isQuiet = true;
    return [...this.vertices.keys()].filter((id) => this.passes(condition, id, 0));
  }

  walk(tail: string, level: number, rule: Rule, defaultDirection: number): boolean {
    const direction = filterDirection(rule.arc, defaultDirection);
    const isCollecting = !this.#isQuiet && rule.collect !== false;
    const isSibling = isCollecting && rule.collect !== true;
    const counted = new Set<string>();
    const matched = new Set<string>();
    let isMatched = false;
    for (const hit of this.#around(tail, direction, rule.arc)) {
      const { head, arc, side } = hit;
      if (!this.passes(rule.neighbor, head, level)) continue;
      isMatched = true;
      if (isCollecting) counted.add(head);
      // A match in both directions has its siblings on both sides.
      if (isSibling) for (const on of side === 2 ? [0, 1] : [side]) matched.add(`${on} ${head}`);
      else if (isCollecting) this.hits.push({ level, tail, arc, head, side });
    }
    this.neighbors += counted.size;
    if (isSibling) {
      const direction = filterDirection(rule.collect, D_ANY);
      for (const { head, arc, side } of this.#around(tail, D_ANY, rule.collect)) {
        const isAgreed = direction === D_ANY || direction === (side === 0 ? D_OUT : D_IN);
        if (!isAgreed || !matched.has(`${side} ${head}`)) continue;
        this.hits.push({ level, tail, arc, head, side });
      }
    }
    return isMatched;
  }

  /** The arcs of a vertex in a direction that a filter accepts. */
  #around(vertex: string, direction: number, filter: unknown): Seen[] {
    const outward = this.#outOf(vertex)
      .filter((arc) => acceptsArc(filter, arc))
      .map((arc) => ({ arc, head: arc.terminal, side: 0 }));
    const inward = this.#into(vertex)
      .filter((arc) => !arc.isForwardOnly && acceptsArc(filter, arc))
      .map((arc) => ({ arc, head: arc.initial, side: 1 }));
    if (direction === D_OUT) return outward;
    if (direction === D_IN) return inward;
    if (direction === D_ANY) return [...outward, ...inward];
    const back = new Set(inward.map(({ head }) => head));
    const pairs = new Map(outward.map((hit) => [hit.head, { ...hit, side: 2 }]));
    return [...pairs.values()].filter(({ head }) => back.has(head));
  }

  countArcs(vertex: string, filter: unknown): number {
    return this.degree(vertex, filter, D_ANY);
  }

  /** Without a filter counters are used, which include forward-only arcs at both ends. */
  degree(vertex: string, filter: unknown, defaultDirection: number): number {
    const direction = filterDirection(filter, defaultDirection);
    if (!isUnfiltered(filter)) return this.#around(vertex, direction, filter).length;
    const outward = direction === D_IN ? 0 : this.#outOf(vertex).length;
    return outward + (direction === D_OUT ? 0 : this.#into(vertex).length);
  }

  passes(condition: unknown, id: string, level: number): boolean {
    if (condition === null || condition === undefined) return true;
    if (typeof condition === "string") return acceptsId(condition, id);
    if (!Array.isArray(condition)) return this.#passesAll(condition as Constraints, id, level);
    if (typeof condition[0] !== "boolean") return (condition as Items).includes(id);
    return this.passes(condition[1], id, level) === condition[0];
  }

  #passesAll(condition: Constraints, id: string, level: number): boolean {
    const { adjacent, traverse, ...ownCondition } = condition;
    for (const [key, constraint] of Object.entries(ownCondition)) {
      if (!this.#meets(key, constraint, id)) return false;
    }
    if (adjacent !== undefined) {
      const wasQuiet = this.#isQuiet;
      this.#isQuiet = true;
      const isFound = this.#goOn(adjacent as Rule, id, level);
      this.#isQuiet = wasQuiet;
      if (!isFound) return false;
    }
    return traverse === undefined || this.#goOn(traverse as Rule, id, level);
  }

  #goOn(rule: Rule, id: string, level: number): boolean {
    const collect = rule.collect === undefined ? false : rule.collect;
    const isFound = this.walk(id, level + 1, { ...rule, collect }, D_ANY);
    return rule.assert ?? isFound;
  }

  #meets(key: string, constraint: unknown, id: string): boolean {
    const vertex = this.vertices.get(id)!;
    switch (key) {
      case "virtual":
        return vertex.isVirtual === constraint;
      case "type":
        if (!Array.isArray(constraint)) return vertex.type === constraint;
        return (vertex.type === constraint[1]) === (constraint[0] === V_EQ);
      case "degree":
      case "indegree":
      case "outdegree":
        return this.#meetsDegree(key, constraint, id);
      case "abstime":
      case "reltime":
        return this.#meetsTimes(constraint, key === "abstime" ? 0 : nowSeconds(), vertex);
      case "id":
        return this.passes(constraint, id, 0);
      case "and":
      case "or":
        return this.#meetsMembers(constraint as readonly unknown[], id, key === "or");
      case "property": {
        const isNegated = Array.isArray(constraint);
        const range = (isNegated ? constraint[1] : constraint) as { [name: string]: unknown };
        const areAll = Object.entries(range).every(([name, test]) => {
          const value = vertex.properties[name];
          return value !== undefined && (test === null || acceptsValue(test, value));
        });
        return areAll !== isNegated;
      }
      default:
        throw new Error(`the model does not know ${key}`);
    }
  }

  #meetsMembers(members: readonly unknown[], id: string, isAny: boolean): boolean {
    const wasQuiet = this.#isQuiet;
    this.#isQuiet = true;
    const passing = members.filter((member) => this.passes(member, id, 0)).length;
    this.#isQuiet = wasQuiet;
    return isAny ? passing > 0 : passing === members.length;
  }

  #meetsTimes(constraint: unknown, base: number, { expiresAt }: ModelVertex): boolean {
    if (Array.isArray(constraint)) {
      return this.#meetsTimes(constraint[1], base, { expiresAt } as ModelVertex) === constraint[0];
    }
    const { expires } = constraint as { expires: unknown };
    const test = Array.isArray(expires) ? expires : [V_GTE, expires];
    return acceptsValue(test, expiresAt - base);
  }

  #meetsDegree(key: string, constraint: unknown, id: string): boolean {
    const degreeDirection = key === "indegree" ? D_IN : key === "outdegree" ? D_OUT : D_ANY;
    const isFiltered = Array.isArray(constraint) && typeof constraint[0] !== "number";
    const [filter, condition]: Items = isFiltered ? constraint : [degreeDirection, constraint];
    return acceptsValue(condition, this.degree(id, filter, degreeDirection));
  }
}

export interface Rule {
  readonly arc?: unknown;
  readonly neighbor?: unknown;
  readonly collect?: unknown;
  readonly assert?: boolean;
}

/** Direction of a filter: that of the inner filter, whatever is negated. */
function filterDirection(filter: unknown, otherwise: number): number {
  if (typeof filter === "number") return filter;
  if (!Array.isArray(filter)) return otherwise;
  if (typeof filter[0] === "boolean") return filterDirection(filter[1], otherwise);
  return (filter[1] as number | undefined) ?? otherwise;
}

/** A direction alone, negated or not: negation does not apply to it. */
function isDirection(filter: unknown): boolean {
  if (!Array.isArray(filter)) return typeof filter === "number";
  return typeof filter[0] === "boolean" && isDirection(filter[1]);
}

/** Whether a filter is only a direction. */
function isUnfiltered(filter: unknown): boolean {
  if (filter === null || filter === "*" || isDirection(filter)) return true;
  if (!Array.isArray(filter)) return false;
  const [name, second, modifier = M_ANY] = filter as Items;
  if (name === true) return isUnfiltered(second);
  if (name === false) return isUnfiltered(unnegated(second));
  return (name === null || name === "*") && modifier === M_ANY;
}

/** The negated part of a filter; for one without negation, a filter that matches no arc. */
function unnegated(filter: unknown): unknown {
  if (!Array.isArray(filter) || typeof filter[0] !== "boolean") return "";
  return filter[0] ? unnegated(filter[1]) : filter[1];
}

function acceptsArc(filter: unknown, arc: ModelArc): boolean {
  if (filter === null || filter === undefined || typeof filter === "number") return true;
  if (typeof filter === "string") return filter === "*" || filter === arc.relationship;
  const items = filter as Items;
  if (typeof items[0] === "boolean") {
    return isDirection(items[1]) || acceptsArc(items[1], arc) === items[0];
  }
  const [relationship, , modifier = M_ANY, code, literal] = items;
  if (relationship !== null && relationship !== "*" && relationship !== arc.relationship) {
    return false;
  }
  const kind = (modifier as number) & ~M_FWDONLY;
  if (kind !== modifier && !arc.isForwardOnly) return false;
  if (kind !== M_ANY && modifierCode(kind) !== modifierCode(arc.modifier)) return false;
  return code === undefined || acceptsValue([code, literal], arc.value);
}

function acceptsId(pattern: string, id: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith("*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}

function acceptsValue(condition: unknown, value: number | string): boolean {
  if (!Array.isArray(condition)) {
    if (typeof condition !== "string") return value === condition;
    return typeof value === "string" && acceptsId(condition, value);
  }
  const [code, literal] = condition as [number, unknown];
  const [low, high] = (Array.isArray(literal) ? literal : [literal, literal]) as [number, number];
  if (code === V_EQ) return value === low;
  if (code === V_NEQ) return value !== low;
  if (typeof value !== "number") return false;
  if (code === V_LT) return value < low;
  if (code === V_LTE) return value <= low;
  if (code === V_GT) return value > low;
  if (code === V_GTE) return value >= low;
  if (code === V_RANGE) return value >= low && value <= high;
  if (code === V_NRANGE) return value < low || value > high;
  throw new Error(`the model does not know V_ ${code}`);
}
