// The `cursor` option of a query: the start of its page, and the cursor of the next page.

import { S_NONE, S_RANDOM } from "../../../base/sort-constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { HitBuffer } from "../hits/hit-buffer.js";
import type { HitOrder, Sortby } from "../hits/hit-order.js";
import { describeHit, PagePosition } from "../hits/page-position.js";
import type { Page } from "../parse/query-arguments.js";
import {
  type CursorContents,
  decodeCursor,
  digestQuery,
  encodeCursor,
  foreignCursor,
} from "./cursor.js";
import type { HitSource } from "./hit-source.js";

/** Contents of the cursor of a merged page, except its last hit. */
export type PartialCursor = Omit<CursorContents, "last"> & { readonly digest: string };

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
  readonly #given: unknown;
  readonly #contents: CursorContents | null;

  constructor(source: HitSource, digest: string, given: unknown, contents: CursorContents | null) {
    this.#source = source;
    this.#digest = digest;
    this.#given = given;
    this.#contents = contents;
  }

  /**
   * Returns the position behind which the page begins; null for the first page.
   * @throws QueryError if the cursor is of another anchor
   */
  position(anchor: number, order: HitOrder): PagePosition | null {
    if (this.#contents === null) return null;
    if (this.#contents.anchor !== this.#nameOf(anchor)) throw foreignCursor(this.#given);
    return new PagePosition(this.#source.store, order, this.#contents.last);
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
    return encodeCursor(this.#digest, { last, anchor: this.#nameOf(anchor), state, shown });
  }

  /** Number of groups on earlier pages. */
  get shown(): number {
    return this.#contents?.shown ?? 0;
  }

  /** Returns the cursor without its last hit, for the merged page of a matrix. */
  describe(anchor: number): PartialCursor {
    const state = this.#source.pageState?.() ?? null;
    return { digest: this.#digest, anchor: this.#nameOf(anchor), state, shown: this.shown };
  }

  #nameOf(anchor: number): string {
    return anchor === 0 ? "" : this.#source.store.ids.idOf(anchor);
  }
}
