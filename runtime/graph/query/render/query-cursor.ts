// The `cursor` option of a query: the start of its page, and the cursor of the next page.

import { S_NONE, S_RANDOM } from "../../../base/sort-constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { HitBuffer } from "../hits/hit-buffer.js";
import type { HitOrder, Sortby } from "../hits/hit-order.js";
import { compareEqualHits, describeHit, PagePosition } from "../hits/page-position.js";
import type { Page } from "../parse/query-arguments.js";
import {
  type CursorContents,
  decodeCursor,
  digestQuery,
  encodeCursor,
  foreignCursor,
} from "./cursor.js";
import type { HitSource } from "./hit-source.js";
import { encodeSortKey } from "./sort-key.js";

/** Contents of the cursor of a merged page, except its last hit. */
export type PartialCursor = Omit<CursorContents, "last" | "equalShown"> & {
  readonly digest: string;
  /**
   * Sort key of the last hit of the page before, as base64, because JSON has no infinite keys; null
   * on the first page.
   */
  readonly last: string | null;
  /** Number of hits equal to `last`, on the page before and earlier ones. */
  readonly equal: number;
};

/**
 * Returns the cursor of a query; null if it has none.
 * @throws QueryError if the cursor was altered, or belongs to another query
 */
export function createCursor(source: HitSource, options: object): QueryCursor | null {
  const { cursor } = options as { readonly cursor?: unknown };
  if (cursor === undefined || cursor === null || cursor === false) return null;
  const { store, listName, searched } = source;
  const digest = digestQuery(`${listName} ${searched ?? ""}`, store.name, options);
  const contents = cursor === true ? null : decodeCursor(digest, cursor);
  const isOwn = contents === null || contents.state === null || source.resume?.(contents.state);
  if (!isOwn) throw foreignCursor(cursor);
  return new QueryCursor(source, digest, cursor, contents);
}

/** @throws QueryError if the order may differ between calls */
export function requireStableOrder({ kind }: Sortby): void {
  if (kind !== S_RANDOM && kind !== S_NONE) return;
  throw invalidArgument("a cursor requires a sort order", kind, "any but S_RANDOM", ".sortby");
}

export class QueryCursor {
  readonly #source: HitSource;
  readonly #digest: string;
  readonly #cursor: unknown;
  readonly #contents: CursorContents | null;

  constructor(source: HitSource, digest: string, cursor: unknown, contents: CursorContents | null) {
    this.#source = source;
    this.#digest = digest;
    this.#cursor = cursor;
    this.#contents = contents;
  }

  /**
   * Returns the position behind which the page begins; null for the first page.
   * @param isPartial true to keep hits equal to the last one: the dispatcher skips them
   * @throws QueryError if the cursor is of another anchor
   */
  position(anchor: number, order: HitOrder, isPartial: boolean): PagePosition | null {
    if (this.#contents === null) return null;
    if (this.#contents.anchor !== this.#nameOf(anchor)) throw foreignCursor(this.#cursor);
    return this.#positionAt(this.#contents, order, isPartial);
  }

  /**
   * Returns the cursor of the next page; null if this is the last.
   * @param found number of hits from the beginning of the page on
   */
  next(
    anchor: number,
    order: HitOrder,
    hits: HitBuffer,
    slots: Uint32Array,
    page: Page,
    found: number,
  ): string | null {
    const end = page.offset + page.hits;
    if (end >= found || page.hits === 0) return null;
    const last = describeHit(this.#source.store, order, hits, slots[end - 1]!);
    const state = this.#source.pageState?.() ?? null;
    const shown = this.shown + end;
    const equalShown = this.#countEqual(order, hits, slots, end);
    return encodeCursor(this.#digest, {
      last,
      equalShown,
      anchor: this.#nameOf(anchor),
      state,
      shown,
    });
  }

  /** Returns the number of hits up to the end of the page that equal its last one. */
  #countEqual(order: HitOrder, hits: HitBuffer, slots: Uint32Array, end: number): number {
    const { store } = this.#source;
    const last = slots[end - 1]!;
    let from = end - 1;
    while (from > 0 && isEqual(store, hits, slots[from - 1]!, last)) from--;
    const contents = this.#contents;
    const isContinued =
      from === 0 &&
      contents !== null &&
      this.#positionAt(contents, order).compare(hits, last) === 0;
    return end - from + (isContinued ? contents.equalShown : 0);
  }

  #positionAt(
    { last, equalShown }: CursorContents,
    order: HitOrder,
    isPartial = false,
  ): PagePosition {
    return new PagePosition(this.#source.store, order, last, isPartial ? 0 : equalShown);
  }

  /** Number of groups on earlier pages. */
  get shown(): number {
    return this.#contents?.shown ?? 0;
  }

  /** Number of hits on earlier pages that equal the last one, itself included. */
  get equal(): number {
    return this.#contents?.equalShown ?? 0;
  }

  /** Returns the cursor without its last hit, for the merged page of a matrix. */
  describe(anchor: number, { isByNameDescending }: HitOrder): PartialCursor {
    const state = this.#source.pageState?.() ?? null;
    const { last = null, equalShown: equal = 0 } = this.#contents ?? {};
    const key = last && Buffer.from(encodeSortKey(last, isByNameDescending)).toString("base64");
    const anchorId = this.#nameOf(anchor);
    return { digest: this.#digest, anchor: anchorId, state, shown: this.shown, last: key, equal };
  }

  #nameOf(anchor: number): string {
    return anchor === 0 ? "" : this.#source.store.ids.idOf(anchor);
  }
}

function isEqual(store: GraphStore, hits: HitBuffer, a: number, b: number): boolean {
  return hits.keys[a] === hits.keys[b] && compareEqualHits(store, hits, a, b) === 0;
}
