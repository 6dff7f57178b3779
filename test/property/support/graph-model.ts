// A graph in the simplest form: a Map of vertices, a Map of arcs, and every rule implemented again,
// sharing no code with the product.

import {
  D_IN,
  D_OUT,
  M_ACC,
  M_AUTOTM,
  M_CNT,
  M_DIST,
  M_FLT,
  M_FWDONLY,
  M_INT,
  M_LSH,
  M_SIM,
  M_TMC,
  M_TMM,
  M_TMX,
  M_UINT,
  T_NEVER,
} from "../../../runtime/graph/model/constants.js";
import { STATIC_CODE } from "../../../runtime/graph/model/modifiers.js";
import type { PropertyValue } from "../../../runtime/graph/store/property-values.js";
import { quantisedModel } from "../../runtime/graph/support/vector-model.js";
import type { Change } from "./graph-change.js";

export interface ModelVertex {
  isReal: boolean;
  type: string;
  rank: [c1: number, c0: number];
  createdAt: number;
  expiresAt: number;
  readonly properties: Map<string, PropertyValue>;
  /** By name; empty for the vector without one. */
  readonly vectors: Map<string, readonly number[]>;
}

export interface ModelArc {
  readonly from: string;
  readonly to: string;
  readonly relationship: string;
  readonly modifier: number;
  readonly isForwardOnly: boolean;
  value: number;
}

type ConnectChange = Extract<Change, { kind: "connect" }>;
type DisconnectChange = Extract<Change, { kind: "disconnect" }>;

const NOT_TYPED = "__vertex__";
const MAX_UINT = 2 ** 32 - 1;
const MAX_FLOAT = 3.4028234663852886e38;
const NEVER_NEGATIVE = new Map([
  [M_LSH, "M_LSH cannot be negative"],
  [M_UINT, "M_UINT cannot be negative"],
  [M_TMC, "M_TMC cannot be negative"],
  [M_TMM, "M_TMM cannot be negative"],
  [M_CNT, "M_CNT cannot be negative, use count() to subtract"],
]);
const OUT_OF_RANGE = "Value out of range for this modifier";

export class GraphModel {
  readonly vertices = new Map<string, ModelVertex>();
  readonly arcs = new Map<string, ModelArc>();

  /**
   * Applies a change; returns what the graph's method returns.
   * @throws Error with the message of the graph's error
   */
  make(change: Change, now: number): unknown {
    switch (change.kind) {
      case "connect":
        return this.#connect(change, now);
      case "count":
        return this.#sum(change, M_CNT, now, (old) => clamp(old + change.delta, 0, MAX_UINT));
      case "accumulate":
        return this.#sum(change, M_ACC, now, (old) => float(old + change.delta));
      case "disconnect":
        return this.#disconnect(change);
      case "create":
        return this.#create(change, now);
      case "delete":
        return this.#delete(change.id);
      case "expire":
        return this.#expire(change.id, now);
      case "wait":
        return undefined;
      default:
        return this.#set(change);
    }
  }

  arcsFrom(id: string): ModelArc[] {
    return [...this.arcs.values()].filter((arc) => arc.from === id);
  }

  arcsTo(id: string): ModelArc[] {
    return [...this.arcs.values()].filter((arc) => arc.to === id);
  }

  #connect(change: ConnectChange, now: number): number {
    const { modifier, lifespan, relationship, from, to } = change;
    const hasTimes = lifespan >= 0 || (change.flags & M_AUTOTM) !== 0;
    const operand = change.value === undefined ? undefined : checked(modifier, change.value);
    if (lifespan >= 0 && [M_TMC, M_TMM, M_TMX].includes(modifier)) {
      throw new Error("Arc timestamps are automatic, manual timestamp assignment not allowed");
    }
    const isForwardOnly = (change.flags & M_FWDONLY) !== 0;
    this.#refuseMixed(to, isForwardOnly);
    const old = this.arcs.get(arcKey(from, relationship, modifier, to));
    const value = valueAfter(modifier, old?.value, operand, now);
    this.#ends(from, to, now);
    const put = (code: number, bits: number): number =>
      this.#put({ from, to, relationship, modifier: code, isForwardOnly, value: bits });
    let result = put(modifier, value);
    if (!hasTimes) return result;
    if (!this.arcs.has(arcKey(from, relationship, M_TMC, to))) result += put(M_TMC, now);
    if (modifier !== M_TMM) result += put(M_TMM, now);
    if (lifespan >= 0) result += put(M_TMX, now + lifespan);
    return result;
  }

  #sum(
    change: Extract<Change, { kind: "count" | "accumulate" }>,
    modifier: number,
    now: number,
    add: (old: number) => number,
  ): number {
    const { from, to, relationship } = change;
    this.#refuseMixed(to, false);
    const old = this.arcs.get(arcKey(from, relationship, modifier, to));
    const value = add(old?.value ?? 0);
    this.#ends(from, to, now);
    this.#put({ from, to, relationship, modifier, isForwardOnly: false, value });
    return value;
  }

  #refuseMixed(to: string, isForwardOnly: boolean): void {
    let reverse: ModelArc | undefined;
    for (const arc of this.arcs.values()) {
      if (arc.to === to) reverse = arc;
      if (reverse !== undefined) break;
    }
    if (reverse === undefined || reverse.isForwardOnly === isForwardOnly) return;
    throw new Error(
      isForwardOnly
        ? "Forward-only arc not allowed when terminal already has regular inarc(s)"
        : "Regular arc not allowed when terminal already has forward-only inarc(s)",
    );
  }

  #ends(from: string, to: string, now: number): void {
    const initial = this.vertices.get(from) ?? this.#add(from, now);
    initial.isReal = true;
    if (!this.vertices.has(to)) this.#add(to, now).isReal = false;
  }

  #add(id: string, now: number): ModelVertex {
    const vertex: ModelVertex = {
      ...{ isReal: true, type: NOT_TYPED, rank: [1, 0], createdAt: now },
      ...{ expiresAt: T_NEVER, properties: new Map(), vectors: new Map() },
    };
    this.vertices.set(id, vertex);
    return vertex;
  }

  #put(arc: ModelArc): number {
    const key = arcKey(arc.from, arc.relationship, arc.modifier, arc.to);
    const old = this.arcs.get(key);
    if (old === undefined) this.arcs.set(key, arc);
    else old.value = arc.value;
    return old === undefined ? 1 : 0;
  }

  #disconnect(change: DisconnectChange): number {
    const { anchor, direction, relationship, modifier, atLeast, neighbor } = change;
    this.#existing(anchor);
    const isMeant = (arc: ModelArc): boolean => {
      const isOut = arc.from === anchor && direction !== D_IN;
      const isIn = arc.to === anchor && direction !== D_OUT && !arc.isForwardOnly;
      const neighborId = isOut ? arc.to : arc.from;
      if (!(isOut || isIn) || (neighbor !== null && neighborId !== neighbor)) return false;
      if (relationship !== null && arc.relationship !== relationship) return false;
      if (modifier !== 0 && arc.modifier !== modifier) return false;
      return atLeast === null || arc.value >= atLeast;
    };
    return this.#remove([...this.arcs.values()].filter(isMeant));
  }

  #remove(arcs: readonly ModelArc[]): number {
    for (const { from, relationship, modifier, to } of arcs) {
      this.arcs.delete(arcKey(from, relationship, modifier, to));
    }
    for (const { to } of arcs) this.#removeIfAbandoned(to);
    return arcs.length;
  }

  #removeIfAbandoned(id: string): void {
    const isVirtual = this.vertices.get(id)?.isReal === false;
    if (isVirtual && this.arcsTo(id).length === 0) this.vertices.delete(id);
  }

  #create(change: Extract<Change, { kind: "create" }>, now: number): number {
    const { id, type, lifespan, properties } = change;
    const known = this.vertices.get(id);
    if (known?.isReal === true && type !== null && known.type !== type) {
      const was = `(existing type: ${known.type})`;
      throw new Error(`Type mismatch for existing object: '${id}' ${was}`);
    }
    const vertex = known ?? this.#add(id, now);
    const result = known?.isReal === true ? 0 : 1;
    if (result === 1) vertex.type = type ?? NOT_TYPED;
    vertex.isReal = true;
    if (lifespan >= 0) vertex.expiresAt = now + lifespan;
    for (const [key, value] of Object.entries(properties)) vertex.properties.set(key, value);
    return result;
  }

  #delete(id: string): number {
    const vertex = this.vertices.get(id);
    if (vertex === undefined || !vertex.isReal) return 0;
    vertex.isReal = false;
    vertex.expiresAt = T_NEVER;
    vertex.properties.clear();
    vertex.vectors.clear();
    this.#remove(this.arcsFrom(id));
    this.#removeIfAbandoned(id);
    return 1;
  }

  #expire(id: string, now: number): number {
    const vertex = this.vertices.get(id);
    if (vertex === undefined) return 0;
    if (vertex.expiresAt <= now) return this.#delete(id);
    const out = this.arcsFrom(id);
    const ended = out.filter((arc) => arc.modifier === M_TMX && arc.value <= now);
    const isOver = ({ relationship, to }: ModelArc): boolean =>
      ended.some((arc) => arc.relationship === relationship && arc.to === to);
    return this.#remove(out.filter(isOver));
  }

  /** Changes through an open vertex, which thereby becomes real. */
  #set(change: Exclude<Change, { kind: "wait" } | { from: string } | { anchor: string }>): unknown {
    const vertex = this.#opened(change.id);
    vertex.isReal = true;
    switch (change.kind) {
      case "setType":
        vertex.type = change.type ?? NOT_TYPED;
        return undefined;
      case "setRank":
        vertex.rank = [change.c1, change.c0];
        return vertex.rank;
      case "setExpiry":
        vertex.expiresAt = change.second < 0 ? T_NEVER : Math.min(change.second, T_NEVER);
        return undefined;
      case "setProperty":
        vertex.properties.set(change.key, change.value);
        return undefined;
      case "removeProperties": {
        const count = vertex.properties.size;
        vertex.properties.clear();
        return count;
      }
      case "removeProperty":
        if (vertex.properties.delete(change.key)) return undefined;
        throw new Error(`Vertex has no property '${change.key}'`);
      case "incProperty":
        return increased(vertex, change.key);
      case "setVector":
        if (change.vector.length === 0) vertex.vectors.delete(change.name);
        else vertex.vectors.set(change.name, quantisedModel(change.vector).bytes);
        return undefined;
      case "removeVector": {
        const had = vertex.vectors.delete(change.name);
        return had;
      }
      default:
        throw new Error(`no change ${change.kind}`);
    }
  }

  #opened(id: string): ModelVertex {
    const vertex = this.vertices.get(id);
    if (vertex === undefined) throw new Error(`Object does not exist: '${id}'`);
    return vertex;
  }

  #existing(id: string): ModelVertex {
    const vertex = this.vertices.get(id);
    if (vertex === undefined) throw new Error(`No object : '${id}'`);
    return vertex;
  }
}

function increased(vertex: ModelVertex, key: string): number {
  const old = vertex.properties.has(key) ? vertex.properties.get(key) : 0;
  if (typeof old !== "number") throw new Error("Vertex property cannot be incremented");
  vertex.properties.set(key, old + 1);
  return old + 1;
}

function arcKey(from: string, relationship: string, modifier: number, to: string): string {
  return `${from} ${relationship} ${modifier} ${to}`;
}

/** A value as the modifier accepts it, independent of existing values. */
function checked(modifier: number, value: number): number {
  switch (modifier) {
    case STATIC_CODE:
      throw new Error("Invalid modifier value");
    case M_INT:
      if (Math.abs(value) > 2 ** 31 || value === 2 ** 31) throw new Error(OUT_OF_RANGE);
      return Math.trunc(value);
    case M_SIM:
      if (Math.abs(value) > 1) throw new Error(OUT_OF_RANGE);
      return Math.fround(value);
    case M_DIST:
      if (value < 0) throw new Error(OUT_OF_RANGE);
      return float(value);
    case M_FLT:
      return float(value);
    case M_ACC:
      float(value);
      return value;
    case M_TMX:
      return value;
    default:
      if (value >= 0) return Math.min(Math.trunc(value), MAX_UINT);
      throw new Error(`${NEVER_NEGATIVE.get(modifier)}`);
  }
}

function valueAfter(
  modifier: number,
  old: number | undefined,
  value: number | undefined,
  now: number,
): number {
  switch (modifier) {
    case STATIC_CODE:
      return 1;
    case M_CNT:
      return clamp((old ?? 0) + (value ?? 1), 0, MAX_UINT);
    case M_ACC:
      return float((old ?? 0) + (value ?? 1));
    case M_TMC:
      if (old !== undefined) throw new Error("Arc creation time already set");
      return value || now;
    case M_TMM:
      return value || now;
    case M_TMX:
      if (value === undefined || value === 0) return T_NEVER;
      return Math.min(value < 0 ? now - value : value, T_NEVER);
    default:
      return value ?? 0;
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function float(value: number): number {
  if (Math.abs(value) > MAX_FLOAT) throw new Error(OUT_OF_RANGE);
  return Math.fround(value);
}
