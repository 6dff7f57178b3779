// Parses the arc argument of callers, independent of any graph.

import { type ArcModifier, M_AUTOTM, M_CNT, M_FWDONLY, M_STAT, T_NEVER } from "./constants.js";
import { ArcError, ValueError } from "./errors.js";
import { atArgumentPath, inMember, NAMES, withArgumentDetails } from "./invalid-argument.js";
import {
  ArcFlag,
  MODIFIER_FORMS,
  MODIFIERS,
  type Modifier,
  parseModifierName,
  STATIC_CODE,
  valueBits,
} from "./modifiers.js";

/** `{ rel, mod, value }`, `"rel"`, `[rel, modifier, value]` or a prefix of it, or null. */
export type ArcSpec =
  | null
  | undefined
  | string
  | readonly []
  | readonly [relationship: string | null, modifier?: ArcModifier, value?: number]
  | {
      readonly rel?: string | null;
      /** `M_INT`, or `"int"`. */
      readonly mod?: ArcModifier | string;
      readonly value?: number;
    };

const DEFAULT_RELATIONSHIP = "__related__";
const MEMBERS = new Set(["rel", "mod", "value"]);
type Steps = readonly [relationship: string, modifier: string, value: string];
const ARGUMENTS: Steps = [".relationship", ".modifier", ".value"];
const ITEMS: Steps = ["[0]", "[1]", "[2]"];
const BY_NAME: Steps = [".rel", ".mod", ".value"];
const FORMS = '"rel", [rel, mod, value], { rel, mod, value }, or null';
const CODE_MASK = 0x1f;
const FLAGS = M_AUTOTM | M_FWDONLY;
const STATIC = MODIFIERS[STATIC_CODE]!;

/** Parsed arc; instances are reused, because calls do not nest. */
export class ParsedArc {
  relationship = DEFAULT_RELATIONSHIP;
  modifier: Modifier = STATIC;
  /** `ArcFlag`s. */
  flags = 0;
  /** Undefined if `hasValue` is false. */
  value = 0.5;
  hasValue = false;
  /** M_TMC and M_TMM companion arcs are maintained. */
  hasTimes = false;

  /** @throws ArcError, ValueError, TypeError */
  read(spec: ArcSpec): this {
    try {
      return this.#read(spec);
    } catch (error) {
      throw atArgumentPath(error, ".arc");
    }
  }

  #read(spec: ArcSpec): this {
    if (typeof spec === "string") return this.set(spec, M_STAT, undefined);
    if (spec === null || spec === undefined) return this.set(null, M_STAT, undefined);
    if (!Array.isArray(spec)) return this.#readMembers(spec);
    if (spec.length > 3) {
      const text = "Invalid arc tuple, expected (relationship, modifier, value)";
      throw withArgumentDetails(new ArcError(text), spec, "up to three values");
    }
    return this.set(spec[0], spec[1], spec[2], ITEMS);
  }

  #readMembers(spec: unknown): this {
    if (typeof spec !== "object" || spec === null) {
      throw withArgumentDetails(new ArcError("Invalid arc, must be string or tuple"), spec, FORMS);
    }
    for (const name of Object.keys(spec)) {
      if (MEMBERS.has(name)) continue;
      const error = new ArcError(`Invalid arc: '${name}' is not one of rel, mod, value`);
      throw withArgumentDetails(error, Reflect.get(spec, name), "rel, mod, value", inMember(name));
    }
    const { rel, mod, value } = spec as { rel?: unknown; mod?: unknown; value?: unknown };
    return this.set(rel, parseModifierName(mod), value, BY_NAME);
  }

  /**
   * @param steps argument paths of the three values, for error messages
   * @throws ArcError, ValueError, TypeError
   */
  set(relationship: unknown, modifier: unknown, value: unknown, steps = ARGUMENTS): this {
    const modifierNumber = modifier === undefined || modifier === null ? STATIC_CODE : modifier;
    if (typeof relationship === "string") this.relationship = relationship;
    else if (relationship === null || relationship === undefined) {
      this.relationship = DEFAULT_RELATIONSHIP;
    } else {
      const error = new ArcError("Invalid arc, relationship must be a string");
      throw withArgumentDetails(error, relationship, NAMES, steps[0]);
    }
    if (typeof modifierNumber !== "number") throw badModifier(modifierNumber, steps);
    const code =
      (modifierNumber & ~FLAGS) === M_STAT ? modifierNumber - M_STAT + STATIC_CODE : modifierNumber;
    const row = (code & ~FLAGS) === (code & CODE_MASK) ? MODIFIERS[code & CODE_MASK] : undefined;
    if (row === undefined || row.isResult || !Number.isInteger(code)) {
      throw badModifier(modifierNumber, steps);
    }
    this.modifier = row;
    this.flags = (code & M_FWDONLY) === 0 ? 0 : ArcFlag.ForwardOnly;
    this.hasTimes = (code & M_AUTOTM) !== 0;
    this.hasValue = value !== undefined && value !== null;
    this.value = this.hasValue ? valueFor(row, value, steps) : 0.5;
    return this;
  }
}

function badModifier(modifier: unknown, steps: Steps): ArcError {
  return withArgumentDetails(
    new ArcError("Invalid arc modifier"),
    modifier,
    MODIFIER_FORMS,
    steps[1],
  );
}

/** @throws ArcError, ValueError, TypeError */
function valueFor(modifier: Modifier, value: unknown, steps: Steps): number {
  try {
    return validatePropertyValue(modifier, value);
  } catch (error) {
    const { name, min, max, kind } = modifier;
    const fits = kind === "unit" ? "no value" : `numbers from ${min} to ${max}`;
    throw withArgumentDetails(error as Error, value, `${fits}, for ${name}`, steps[2]);
  }
}

/** @throws ArcError, ValueError, TypeError */
function validatePropertyValue(modifier: Modifier, value: unknown): number {
  if (modifier.kind === "unit") throw new ArcError("Invalid modifier value");
  if (typeof value !== "number") throw new TypeError("arc value must be a number");
  if (modifier.isRelative) return value;
  if (modifier.kind === "uint" && value < 0) {
    const hint = modifier.code === M_CNT ? ", use count() to subtract" : "";
    throw new ValueError(`${modifier.name} cannot be negative${hint}`);
  }
  return inRange(modifier, value);
}

/**
 * Returns the value, clamped if the modifier clamps.
 * @throws ArcError if it is out of range
 */
export function inRange(modifier: Modifier, value: number): number {
  const whole = modifier.kind === "float" ? value : Math.trunc(value);
  if (whole >= modifier.min && whole <= modifier.max) return whole;
  if (modifier.isClamped && !Number.isNaN(value)) return whole < 0 ? modifier.min : modifier.max;
  throw new ArcError("Value out of range for this modifier");
}

/** Returns word 2 of a new arc, or of one whose values are not added. */
export function firstValue(arc: ParsedArc, now: number): number {
  const { modifier, value } = arc;
  const { initial, kind } = modifier;
  if (initial === "now") return valueBits(kind, arc.hasValue && value > 0 ? value : now);
  if (!arc.hasValue) return valueBits(kind, initial);
  if (!modifier.isRelative) return valueBits(kind, value);
  return expirySecond(value, now);
}

/** Returns the second of an M_TMX value: absolute, relative if negative, never if 0. */
function expirySecond(value: number, now: number): number {
  if (Number.isNaN(value)) throw new ArcError("Value out of range for this modifier");
  if (value === 0) return T_NEVER;
  return Math.min(Math.trunc(value > 0 ? value : now - value), T_NEVER);
}
