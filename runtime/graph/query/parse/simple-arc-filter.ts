// Fast path for filters of only relationship, direction and modifier, which nearly all calls about
// the arc between two vertices use. Parsing allocates nothing and takes a tenth of the time of
// compiling; everything else is left to the compiler of filters.

import { ARC_KEY_MASK } from "../../memory/layout.js";
import { MODIFIERS, modifierCode } from "../../model/modifiers.js";
import type { NameEnumeration } from "../../store/names.js";
import type { DirectionNumber } from "../match/arc-test.js";

const NAME_SHIFT = 16;
const MODIFIER_SHIFT = 8;
const NAME_MASK = 0xffff_0000;
/** Number of directions, from none to both. */
const DIRECTIONS = 4;

/** Reused by all calls of a kind, which never overlap. */
export class SimpleArcFilter {
  direction: DirectionNumber = 0;
  /** Word 1 of matching arcs, under `mask`. */
  key = 0;
  mask = 0;

  /**
   * Parses a filter; false if it is not that simple, is invalid, or names an unused relationship.
   * @param filter `"rel"`, `["rel"]`, `["rel", direction]` or `["rel", direction, modifier]`
   */
  read(
    relationships: NameEnumeration,
    filter: unknown,
    defaultDirection: DirectionNumber,
  ): boolean {
    if (typeof filter === "string") return this.#set(relationships, filter, defaultDirection, 0);
    if (!Array.isArray(filter) || filter.length > 3) return false;
    const name: unknown = filter[0];
    const direction: unknown = filter[1] ?? defaultDirection;
    const modifier: unknown = modifierCode(filter[2] ?? 0);
    if (typeof name !== "string" || !isIndex(direction, DIRECTIONS)) return false;
    if (!isIndex(modifier, MODIFIERS.length)) return false;
    if (modifier !== 0 && MODIFIERS[modifier] === undefined) return false;
    return this.#set(relationships, name, direction as DirectionNumber, modifier);
  }

  #set(
    relationships: NameEnumeration,
    name: string,
    direction: DirectionNumber,
    modifier: number,
  ): boolean {
    const code = relationships.codeOf(name);
    this.direction = direction;
    this.key = ((code << NAME_SHIFT) | (modifier << MODIFIER_SHIFT)) >>> 0;
    this.mask = modifier === 0 ? NAME_MASK : ARC_KEY_MASK;
    return code !== 0;
  }
}

function isIndex(value: unknown, end: number): value is number {
  return typeof value === "number" && value >= 0 && value < end && Number.isInteger(value);
}
