// The container that engine functions fill and dispatchers merge: items with sort keys in one
// order, four numbers that are summed, and metadata for the dispatchers above.

import { ArgumentError, ResponseError } from "../../base/errors.js";
import type { OwnedBytes } from "../../base/owned-arrays.js";
import { decodePartial, encodePartial } from "../../base/partial/partial-codec.js";
import { S_NONE } from "../../base/sort-constants.js";
import type { KeyWire, SortKey } from "../../base/sort-order.js";
import { typeName } from "../contract/describe-error.js";
import { INSPECT } from "../contract/inspect-symbol.js";
import { jsonFields, jsonText } from "../contract/json-text.js";
import * as types from "../contract/types.js";
import {
  integer,
  number,
  parseKeytype,
  parseMaxhits,
  requireSortby,
} from "./response-arguments.js";
import { ResponseOrigin, setLevels } from "./response-origin.js";
import { SortKeys } from "./sort-keys.js";

const CONVERTERS = { int: types.int, float: types.float, str: types.str, bytes: types.bytes };

/** The optional arguments of `new PluginResponse(...)` by their names. */
export interface PluginResponseOptions {
  /** Greatest number of entries; -1 for any number. */
  readonly maxhits?: number;
  /** `S_…` constants. */
  readonly sortby?: number;
  /** `int`, `float`, `str` or `bytes`. */
  readonly keytype?: types.Converter<SortKey> | null;
}

/**
 * A result that dispatchers can merge (plugin-api, "PluginResponse").
 * @typeParam K type of the sort keys
 * @typeParam T type of the items
 */
export class PluginResponse<K extends SortKey = SortKey, T = unknown> extends ResponseOrigin {
  #maxhits: number;
  readonly #sorting: SortKeys;
  readonly #entries: [K, T][] = [];
  #hitcount: number | null = null;
  /** Hits of a received response that exceed its entries. */
  #unlisted = 0;
  #partials = 1;
  #i0 = 0;
  #i1 = 0;
  #f2 = 0;
  #f3 = 0;
  #message: string | null = null;

  /** Any value that supplements the entries; a merged response has that of partition 0. */
  meta: unknown = null;

  /**
   * Creates an empty response. Arguments are positional, or in one object with their names.
   * @param maxhits greatest number of entries, -1 for any number
   * @param sortby kind and direction, `S_VAL | S_DESC`; a kind alone gets its usual direction
   * @param keytype `int`, `float`, `str` or `bytes`; default: the type of the first key
   * @throws ArgumentError for arguments of another type, or a `sortby` that cannot have such keys
   */
  constructor(options: PluginResponseOptions);
  constructor(maxhits?: number, sortby?: number, keytype?: types.Converter<K> | null);
  constructor(first: unknown = -1, sortby: unknown = S_NONE, keytype: unknown = null) {
    const options =
      typeof first === "object" && first !== null
        ? { maxhits: -1, sortby: S_NONE, keytype: null, ...first }
        : { maxhits: first, sortby, keytype };
    super();
    this.#maxhits = parseMaxhits(options.maxhits);
    const keytypeGiven = parseKeytype(options.keytype);
    this.#sorting = new SortKeys(requireSortby(options.sortby, keytypeGiven), keytypeGiven);
  }

  /**
   * Appends an item. A sort key of another type than int, float, str or
   * bytes is ignored; without one the nth call uses n.
   * @throws ResponseError when the key does not fit `sortby` and `keytype`, is out of order, or
   *   `maxhits` is reached
   * @throws ArgumentError without an item, and for more than a key and an item
   */
  append(item: T): void;
  append(sortkey: K | null | undefined, item: T): void;
  append(...args: [item: T] | [sortkey: unknown, item: T]): void {
    const { length } = args as readonly unknown[];
    if (length < 1 || length > 2) {
      throw new ArgumentError("TypeError", `append takes 1 or 2 arguments (${length} given)`);
    }
    if (this.#maxhits >= 0 && this.#sorting.count >= this.#maxhits) {
      throw new ResponseError(`maxhits ${this.#maxhits} reached`);
    }
    const key = this.#sorting.add(args.length > 1 ? args[0] : undefined);
    this.#entries.push([key as K, args[args.length - 1] as T]);
  }

  /** `[sortkey, item]` pairs in the order appended; the list can be edited, but not replaced. */
  get entries(): [K, T][] {
    return this.#entries;
  }

  /** Number of entries. */
  get length(): number {
    return this.#entries.length;
  }

  [Symbol.iterator](): IterableIterator<[K, T]> {
    return this.#entries[Symbol.iterator]();
  }

  /** Greatest number of entries that can be added, -1 for any number. */
  get maxhits(): number {
    return this.#maxhits;
  }

  set maxhits(maxhits: number) {
    this.#maxhits = parseMaxhits(maxhits);
  }

  /** Sort kind and direction in effect. */
  get sortby(): number {
    return this.#sorting.sortby;
  }

  /** `int`, `float`, `str` or `bytes`; null while it is undefined. */
  get keytype(): types.Converter<SortKey> | null {
    return converterOf(this.#sorting.keytype);
  }

  /**
   * Total number of hits, including those without an entry. Grows with each `append` until it is
   * set; null restores the number of entries appended.
   */
  get hitcount(): number {
    return this.#hitcount ?? this.#sorting.count + this.#unlisted;
  }

  set hitcount(hitcount: number | null) {
    if (hitcount !== null && hitcount !== undefined && integer(hitcount, "hitcount") < 0) {
      throw new ArgumentError("ValueError", "hitcount cannot be negative");
    }
    this.#hitcount = hitcount ?? null;
    this.#unlisted = 0;
  }

  /** Instances that contributed, down to the engines. */
  get partials(): number {
    return this.#partials;
  }

  set partials(partials: number) {
    if (integer(partials, "partials") < 1) {
      throw new ArgumentError("ValueError", "partials must be positive");
    }
    this.#partials = partials;
  }

  /** Integer that is summed over all partials. */
  get i0(): number {
    return this.#i0;
  }

  set i0(value: number) {
    this.#i0 = integer(value, "i0");
  }

  /** As `i0`. */
  get i1(): number {
    return this.#i1;
  }

  set i1(value: number) {
    this.#i1 = integer(value, "i1");
  }

  /** Number that is summed over all partials. */
  get f2(): number {
    return this.#f2;
  }

  set f2(value: number) {
    this.#f2 = number(value, "f2");
  }

  /** As `f2`. */
  get f3(): number {
    return this.#f3;
  }

  set f3(value: number) {
    this.#f3 = number(value, "f3");
  }

  /** Rendered by a top-level dispatcher; lost when responses are merged. */
  get message(): string | null {
    return this.#message;
  }

  set message(message: string | null) {
    if (message !== null && message !== undefined && typeof message !== "string") {
      throw new ArgumentError("TypeError", `message must be str, not ${typeName(message)}`);
    }
    this.#message = message ?? null;
  }

  /**
   * Returns the response in the format for dispatchers.
   * @throws ResponseError when edited entries are no longer in order
   */
  serialize(): OwnedBytes {
    return encodePartial({
      maxhits: this.#maxhits,
      sortby: this.#sorting.sortby,
      keytype: this.#sorting.keytype,
      hitcount: this.hitcount,
      level: this.level,
      levelparts: this.levelparts,
      partials: this.#partials,
      i0: this.#i0,
      i1: this.#i1,
      f2: this.#f2,
      f3: this.#f3,
      message: this.#message,
      meta: this.meta === null || this.meta === undefined ? null : jsonText(this.meta),
      keys: this.#entries.map((entry) => entry[0]),
      items: this.#entries.map((entry) => jsonText(entry[1])),
    });
  }

  /**
   * Creates a response from the output of `serialize`.
   * @throws ResponseError for bytes that are not exactly that
   */
  static deserialize(data: Uint8Array): PluginResponse {
    const partial = decodePartial(data);
    const response = new PluginResponse(
      partial.maxhits,
      partial.sortby,
      converterOf(partial.keytype),
    );
    response.#i0 = partial.i0;
    response.#i1 = partial.i1;
    response.#f2 = partial.f2;
    response.#f3 = partial.f3;
    setLevels(response, partial.level, partial.levelparts);
    response.#partials = partial.partials;
    response.#unlisted = partial.hitcount - partial.keys.length;
    response.#message = partial.message;
    response.meta = partial.meta === null ? null : parsed(partial.meta);
    for (const [index, key] of partial.keys.entries()) {
      response.#entries.push([response.#sorting.add(key), parsed(partial.items[index]!)]);
    }
    return response;
  }

  /** Returns the JSON text with which a top-level instance answers. */
  toJSON(): string {
    return jsonText(this[jsonFields]());
  }

  /** @internal */
  [jsonFields](): Record<string, unknown> {
    return {
      level: this.level,
      levelparts: this.levelparts,
      partials: this.#partials,
      hitcount: this.hitcount,
      aggregator: [this.#i0, this.#i1, this.#f2, this.#f3],
      ...(this.#message !== null && { message: this.#message }),
      meta: this.meta ?? null,
      entries: this.#entries,
    };
  }

  /** @internal */
  [INSPECT](): unknown {
    return this[jsonFields]();
  }
}

function converterOf(keytype: KeyWire | null): types.Converter<SortKey> | null {
  return keytype === null ? null : CONVERTERS[keytype];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ResponseError("corrupt partial: invalid item", "SVC2105", { cause });
  }
}
