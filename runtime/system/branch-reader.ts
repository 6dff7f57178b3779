// Reads the rows of the instances below a dispatcher from it. Accepts only rows of these instances,
// with values of the expected types. Rejects the response if the dispatcher has another descriptor.

import { isPlainObject } from "../base/plain-object.js";
import { type Address, requestInstance } from "./instance-client.js";
import { CELL_COLUMNS, LIVE_COLUMNS, REST_COLUMNS, type Row } from "./short-rows.js";

const TIMEOUT_MS = 2000;
/** Rows of the largest system. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TEXT = 200;
const MAX_ITEMS = 1000;
/** Number of key values of a cell: dispatcher, partition and replica. */
const CELL_KEYS = 3;

export interface BranchRows {
  /** Each row: position of the instance, then its columns. */
  readonly live: readonly Row[];
  readonly rest: readonly Row[];
  /** Each row: positions of dispatcher, partition and replica, then the columns. */
  readonly cells: readonly Row[];
}

interface LastResponse {
  revision: string;
  /** Number of the last revision with cells. */
  cells: number;
}

export class BranchReader {
  readonly #layout: string;
  readonly #last = new Map<string, LastResponse>();

  /** @param layout required layout of the rows: that of this instance */
  constructor(layout: string) {
    this.#layout = layout;
  }

  /**
   * Returns the rows that changed since the last read; null: no valid response.
   * @param members positions of the dispatcher and of the instances below it
   */
  async read(
    id: string,
    address: Address,
    members: ReadonlySet<number>,
    wantsCells: boolean,
  ): Promise<BranchRows | null> {
    const last = this.#last.get(id) ?? { revision: "", cells: 0 };
    const cells = wantsCells ? last.cells : -1;
    const query = `form=branch&known=${encodeURIComponent(last.revision)}&cells=${cells}`;
    const path = `/svc/builtin/system_overview?${query}`;
    const request = { path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const response = await requestInstance(address, request).catch(() => null);
    if (!isPlainObject(response) || response.layout !== this.#layout) {
      this.#last.delete(id);
      return null;
    }
    const revision = String(response.revision).slice(0, MAX_TEXT);
    const number = Number(revision.split("-")[1]) || 0;
    this.#last.set(id, { revision, cells: wantsCells ? number : last.cells });
    return {
      live: acceptRows(response.live, members, 1, LIVE_COLUMNS.length),
      rest: acceptRows(response.rest, members, 1, REST_COLUMNS.length),
      cells: acceptRows(response.cells, members, CELL_KEYS, CELL_COLUMNS.length),
    };
  }
}

/** @param keys number of values before the columns, the first one being the position of a member */
function acceptRows(
  rows: unknown,
  members: ReadonlySet<number>,
  keys: number,
  columns: number,
): readonly Row[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    if (!Array.isArray(row) || !members.has(row[0])) return [];
    return [row.slice(0, keys + columns).map((value) => acceptValue(value))];
  });
}

/** Only the columns of subscribers and failures contain lists. */
function acceptValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (Array.isArray(value) && depth < 2) {
    return value.slice(0, MAX_ITEMS).map((item) => acceptValue(item, depth + 1));
  }
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
