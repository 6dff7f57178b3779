// Random changes of a graph as plain data, so that the same one can be applied to a graph, to a
// model, in another thread, or be printed on failure. They refer to a list of ids.

import {
  D_ANY,
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
} from "../../../runtime/graph/model/constants.js";
import { STATIC_CODE } from "../../../runtime/graph/model/modifiers.js";
import type { PropertyValue } from "../../../runtime/graph/store/property-values.js";
import type { Random } from "./random.js";

export type Change =
  | {
      readonly kind: "connect";
      readonly from: string;
      readonly to: string;
      readonly relationship: string;
      readonly modifier: number;
      readonly value: number | undefined;
      /** M_AUTOTM, M_FWDONLY or both. */
      readonly flags: number;
      readonly lifespan: number;
    }
  | {
      readonly kind: "count" | "accumulate";
      readonly from: string;
      readonly to: string;
      readonly relationship: string;
      readonly delta: number;
    }
  | {
      readonly kind: "disconnect";
      readonly anchor: string;
      readonly relationship: string | null;
      readonly direction: number;
      /** 0: any. */
      readonly modifier: number;
      /** Only values from there on; needs a modifier with values. */
      readonly atLeast: number | null;
      readonly neighbor: string | null;
    }
  | {
      readonly kind: "create";
      readonly id: string;
      readonly type: string | null;
      readonly lifespan: number;
      readonly properties: Readonly<Record<string, PropertyValue>>;
    }
  | {
      readonly kind: "delete" | "expire" | "removeProperties";
      readonly id: string;
    }
  | { readonly kind: "removeVector"; readonly id: string; readonly name: string }
  | {
      readonly kind: "setVector";
      readonly id: string;
      readonly name: string;
      readonly vector: readonly number[];
    }
  | { readonly kind: "setType"; readonly id: string; readonly type: string | null }
  | { readonly kind: "setExpiry"; readonly id: string; readonly second: number }
  | { readonly kind: "setRank"; readonly id: string; readonly c1: number; readonly c0: number }
  | {
      readonly kind: "setProperty";
      readonly id: string;
      readonly key: string;
      readonly value: PropertyValue;
    }
  | { readonly kind: "incProperty" | "removeProperty"; readonly id: string; readonly key: string }
  | { readonly kind: "wait"; readonly seconds: number };

const RELATIONSHIPS = ["likes", "saw", "near", "__related__"];
const TYPES = ["person", "thing", "place", null];
/** An empty name stands for the vectors without one. */
const VECTOR_NAMES = ["", "title", "image"];
export const KEYS = ["age", "name", "tags", "score", "blob"];
const FLOATS: readonly number[] = [M_SIM, M_DIST, M_FLT, M_ACC];
/** Each with the frequency of its occurrences here. */
const MODIFIERS: readonly number[] = [
  ...[STATIC_CODE, STATIC_CODE, M_INT, M_INT, M_INT, M_UINT, M_LSH, M_CNT, M_CNT],
  ...[M_SIM, M_DIST, M_FLT, M_FLT, M_ACC, M_ACC, M_TMC, M_TMM, M_TMX, M_TMX],
];
const TIMES: readonly number[] = [M_TMC, M_TMM, M_TMX];

/** A change of existing or new vertices of a list. */
export function randomChange(random: Random, ids: readonly string[]): Change {
  const roll = random.below(100);
  if (roll < 42) return randomConnect(random, ids);
  if (roll < 54) return randomSum(random, ids);
  if (roll < 64) return randomDisconnect(random, ids);
  const id = pickId(random, ids);
  if (roll < 68) return { kind: "delete", id };
  if (roll < 74) {
    const properties = random.below(2) === 0 ? {} : { [random.of(KEYS)]: randomValue(random) };
    return { kind: "create", id, type: random.of(TYPES), lifespan: lifespan(random), properties };
  }
  if (roll < 84)
    return { kind: "setProperty", id, key: random.of(KEYS), value: randomValue(random) };
  if (roll < 87) return { kind: "incProperty", id, key: random.of(KEYS) };
  if (roll < 88) return { kind: "removeProperty", id, key: random.of(KEYS) };
  if (roll < 89) return randomVectorChange(random, id);
  if (roll < 90) return { kind: "removeProperties", id };
  if (roll < 91) return { kind: "setType", id, type: random.of(TYPES) };
  if (roll < 92) return { kind: "setRank", id, c1: random.below(64) / 8, c0: random.below(9) };
  if (roll < 93) return { kind: "setExpiry", id, second: random.of([-1, 1, 5_000_000_000]) };
  if (roll < 98) return { kind: "expire", id };
  return { kind: "wait", seconds: 1 + random.below(3) };
}

/** A change that makes two hubs and the vertex lists grow or shrink. */
export function randomHubChange(
  random: Random,
  ids: readonly string[],
  isGrowing: boolean,
): Change {
  const [outHub, inHub] = ids as [string, string];
  const [id, roll] = [random.of(ids), random.below(10)];
  const [from, to] = random.below(2) === 0 ? [outHub, id] : [id, inHub];
  if (isGrowing ? roll < 8 : roll < 1) {
    const arc = { relationship: "to", modifier: M_INT, value: random.below(100) };
    return { kind: "connect", from, to, ...arc, flags: 0, lifespan: -1 };
  }
  if (isGrowing) return { kind: "create", id, type: null, lifespan: -1, properties: { name: id } };
  if (roll < 7) return { kind: "delete", id };
  const [anchor, direction] = from === outHub ? [outHub, D_OUT] : [inHub, D_IN];
  const arc = { relationship: "to", modifier: 0, atLeast: null };
  return { kind: "disconnect", anchor, direction, ...arc, neighbor: id };
}

/** The first ids are most frequent: some vertices get long runs, most do not. */
function pickId(random: Random, ids: readonly string[]): string {
  const maxIds = random.below(3) === 0 ? Math.min(3, ids.length) : ids.length;
  return ids[random.below(maxIds)]!;
}

function randomVectorChange(random: Random, id: string): Change {
  const name = random.of(VECTOR_NAMES);
  if (random.below(6) === 0) return { kind: "removeVector", id, name };
  const length = random.of([1, 32, 40, 40, 200]);
  const vector = Array.from({ length }, () => random.below(511) - 255);
  return { kind: "setVector", id, name, vector: random.below(20) === 0 ? [] : vector };
}

function randomConnect(random: Random, ids: readonly string[]): Change {
  const modifier = random.of(MODIFIERS);
  const hasTimes = random.below(8) === 0;
  // A vertex accepts either forward-only arcs or others, so that few accept the former.
  const to = pickId(random, ids);
  const isForwardOnly = to.endsWith("7") ? random.below(20) > 0 : random.below(50) === 0;
  return {
    ...{ kind: "connect", from: pickId(random, ids), to, relationship: random.of(RELATIONSHIPS) },
    modifier,
    value: random.below(6) === 0 ? undefined : valueFor(random, modifier),
    flags: (hasTimes ? M_AUTOTM : 0) | (isForwardOnly ? M_FWDONLY : 0),
    lifespan: random.below(6) === 0 ? lifespan(random) : -1,
  };
}

function valueFor(random: Random, modifier: number): number | undefined {
  if (modifier === STATIC_CODE) return random.below(30) === 0 ? 1 : undefined;
  if (TIMES.includes(modifier)) return random.of([0, -1, -3, 4_000_000_000, 5_000_000_000]);
  if (modifier === M_SIM) return (random.below(27) - 13) / 12;
  if (FLOATS.includes(modifier)) return random.of([0, 0.1, 2.5, 1e30, 3.4e38, 1e39, -1]);
  const large = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40, -7, 3.9];
  return random.below(5) === 0 ? random.of(large) : random.below(20);
}

function randomSum(random: Random, ids: readonly string[]): Change {
  const isCount = random.below(2) === 0;
  return {
    kind: isCount ? "count" : "accumulate",
    ...{
      from: pickId(random, ids),
      to: pickId(random, ids),
      relationship: random.of(RELATIONSHIPS),
    },
    delta: isCount ? random.of([1, 3, -2, 2 ** 32, -(2 ** 33)]) : random.of([1, 0.1, -2.5, 3e38]),
  };
}

function randomDisconnect(random: Random, ids: readonly string[]): Change {
  const modifier = random.below(2) === 0 ? 0 : random.of(MODIFIERS);
  const hasValue = modifier > M_LSH && !TIMES.includes(modifier);
  return {
    kind: "disconnect",
    anchor: pickId(random, ids),
    relationship: random.of([null, ...RELATIONSHIPS]),
    direction: random.of([D_OUT, D_OUT, D_IN, D_ANY]),
    modifier,
    atLeast: hasValue && random.below(2) === 0 ? random.of([0, 1]) : null,
    neighbor: random.below(4) === 0 ? null : pickId(random, ids),
  };
}

function lifespan(random: Random): number {
  return random.of([-1, 0, 1, 2, 10]);
}

function randomValue(random: Random): PropertyValue {
  switch (random.below(8)) {
    case 0:
      return random.below(1000) / 8;
    case 1:
      return null;
    case 2:
      return random.list(6, () => random.below(100));
    case 3:
      return new Uint8Array(random.list(40, () => random.below(256)));
    case 4:
      return random.of([new Map([[random.below(9), 0.5]]), { nested: { of: "a kind" } }]);
    case 5:
      return `${"long ".repeat(random.below(60))}text ${random.below(8)}`;
    case 6:
      return random.of(["Oslo", "Bergen", "", "é €"]);
    default:
      return random.below(100);
  }
}
