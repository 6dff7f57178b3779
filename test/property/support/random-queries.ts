// Random arc filters, conditions and rules over the names of the test graphs.

import { nowSeconds } from "../../../runtime/graph/memory/time.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_CNT,
  M_FLT,
  M_FWDONLY,
  M_INT,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../../runtime/graph/model/constants.js";
import { STATIC_CODE } from "../../../runtime/graph/model/modifiers.js";
import type { Rule } from "./query-model.js";
import type { Random } from "./random.js";

export const RELATIONSHIPS = ["knows", "likes", "has"];
export const TYPES = ["person", "item"];
export const MODIFIERS_USED = [STATIC_CODE, M_INT, M_CNT, M_FLT];
export const KEYS = ["age", "city"];
export const CITIES = ["Oslo", "Bergen", "Bo"];
export const VALUES = [-3, -1, 0, 1, 2, 3];
/** Seconds from now, and comparison values between them: no clock tick affects the result. */
const OFFSETS = [10_000, 20_000, 30_000];
const BETWEEN = [5_000, 15_000, 25_000, 35_000];
const STARTED = nowSeconds();
export const EXPIRIES = OFFSETS.map((offset) => STARTED + offset);
const COMPARISONS = [V_LTE, V_GT, V_GTE, V_LT, V_EQ, V_NEQ];
const RANGES = [V_RANGE, V_NRANGE];
const CONSTRAINTS = [
  ...["type", "degree", "indegree", "outdegree", "property", "virtual", "abstime", "reltime", "id"],
];
const MAX_LEVELS = 3;

export class RandomQueries {
  readonly #random: Random;
  readonly #ids: readonly string[];

  constructor(random: Random, ids: readonly string[]) {
    this.#random = random;
    this.#ids = ids;
  }

  /** The rule of a first level, with all levels below. */
  rule(): Rule {
    const rule = { arc: this.arc(true), neighbor: this.condition(1, true) };
    return this.#random.below(3) === 0 ? rule : { ...rule, collect: this.#collect() };
  }

  arc(hasPairs: boolean): unknown {
    const random = this.#random;
    const direction = random.of(hasPairs ? [D_ANY, D_IN, D_OUT, D_BOTH] : [D_ANY, D_IN, D_OUT]);
    const relationship = random.of([...RELATIONSHIPS, "never", null, "*"]);
    switch (random.below(8)) {
      case 0:
        return null;
      case 1:
        return direction;
      case 2:
        return relationship;
      case 3:
        return [false, this.arc(hasPairs)];
      case 4:
        return [relationship, direction];
      case 5:
        return [relationship, direction, random.of([...MODIFIERS_USED, M_INT | M_FWDONLY])];
      default:
        return [relationship, direction, ...this.#valueTest()];
    }
  }

  /** Modifier, comparison and literal. */
  #valueTest(): unknown[] {
    const random = this.#random;
    const modifier = random.of([M_INT, M_CNT, M_FLT]);
    const literal = (): number => random.of(VALUES) + (modifier === M_FLT ? 0.5 : 0);
    if (random.below(3) > 0) return [modifier, random.of(COMPARISONS), literal()];
    return [modifier, random.of(RANGES), [literal(), literal()]];
  }

  /**
   * @param level of the tested vertex
   * @param isCollecting whether levels below may collect
   */
  condition(level: number, isCollecting: boolean): unknown {
    const random = this.#random;
    switch (random.below(9)) {
      case 0:
        return null;
      case 1:
        return random.of(this.#ids);
      case 2:
        return `${random.of(this.#ids).slice(0, 1)}*`;
      case 3:
        return random.list(4, () => random.of(this.#ids));
      case 4:
        return [random.below(3) === 0, this.condition(level, isCollecting)];
      default:
        return this.#object(level, isCollecting);
    }
  }

  #object(level: number, isCollecting: boolean): object {
    const random = this.#random;
    const condition: Record<string, unknown> = {};
    for (const key of random.list(2, () => random.of(CONSTRAINTS))) {
      condition[key] = this.#constraint(key);
    }
    if (level >= MAX_LEVELS) return condition;
    if (random.below(3) === 0) {
      const members = random.list(3, () => this.condition(level + 1, false));
      condition[random.of(["and", "or", "or"])] = [...members, this.condition(level + 1, false)];
    }
    if (random.below(4) === 0) {
      const { collect: _, ...rule } = this.#rule(level, false);
      condition.adjacent = rule;
    }
    if (random.below(3) > 0) condition.traverse = this.#rule(level, isCollecting);
    return condition;
  }

  #constraint(key: string): unknown {
    const random = this.#random;
    const degree = random.of([random.below(8), [random.of(COMPARISONS), random.below(8)]]);
    switch (key) {
      case "virtual":
        return random.below(2) === 0;
      case "type":
        return random.of([...TYPES, null, "never", [V_NEQ, random.of(TYPES)]]);
      case "id":
        return random.of([random.of(this.#ids), random.list(3, () => random.of(this.#ids)), "b*"]);
      case "abstime":
      case "reltime": {
        const literal = random.of(BETWEEN) + (key === "abstime" ? STARTED : 0);
        const range = [literal - 10_000, literal];
        const expires = random.of([literal, [random.of(COMPARISONS), literal], [V_RANGE, range]]);
        return random.below(4) === 0 ? [random.below(2) === 0, { expires }] : { expires };
      }
      case "property": {
        const tests = { age: [random.of(COMPARISONS), random.of(VALUES)], city: "B*" };
        const { age, city } = tests;
        return random.of([{ age }, { city }, tests, [false, tests], { age: null, city: "Oslo" }]);
      }
      default:
        return random.below(2) === 0 ? degree : [this.#degreeFilter(key), degree];
    }
  }

  /**
   * A bare direction would be parsed as the code of a value condition; an opposite one is rejected,
   * so that only degrees of both directions accept any.
   */
  #degreeFilter(key: string): unknown {
    const random = this.#random;
    if (key !== "degree") return random.of([null, "*", random.of(RELATIONSHIPS)]);
    const filter = this.arc(false);
    return typeof filter === "number" ? [null, filter] : filter;
  }

  /** Without a collecting rule a level ends at its first match, with nothing below it. */
  #rule(level: number, isCollecting: boolean): Rule {
    const random = this.#random;
    const collect = isCollecting ? random.of([false, this.#collect(), this.#collect()]) : false;
    const neighbor = this.condition(level + 1, collect !== false);
    const rule = { arc: this.arc(true), neighbor, collect };
    return random.below(5) === 0 ? { ...rule, assert: random.below(2) === 0 } : rule;
  }

  #collect(): unknown {
    const random = this.#random;
    const arc = (): unknown => random.of([random.of(RELATIONSHIPS), this.arc(false)]);
    return random.of([true, true, true, [false, "*"], arc()]);
  }
}
