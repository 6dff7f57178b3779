// Reads the rows that a dispatcher has of the instances below it, and accepts only rows of these,
// with values of the expected form. A dispatcher that does not answer, or has another descriptor,
// gives nothing.

import { isPlainObject } from "../base/plain-object.js";
import { type Address, requestInstance } from "./instance-client.js";
import { CELL_COLUMNS, LIVE_COLUMNS, REST_COLUMNS, type Row } from "./short-rows.js";

const TIMEOUT_MS = 2000;
/** Rows of the largest system. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TEXT = 200;
const MAX_ITEMS = 1000;
/** Dispatcher, partition and replica. */
const CELL_KEYS = 3;

export interface BranchRows {
  /** Position of the instance, then its columns. */
  readonly live: readonly Row[];
  readonly rest: readonly Row[];
  /** Positions of dispatcher, partition and replica, then the columns. */
  readonly cells: readonly Row[];
}

interface Known {
  revision: string;
  /** Number of the last revision whose cells are known. */
  cells: number;
}

export class BranchReader {
  readonly #layout: string;
  readonly #known = new Map<string, Known>();

  /** @param layout of the own rows */
  constructor(layout: string) {
    this.#layout = layout;
  }

  /**
   * Returns the rows that changed since the last time; null: the dispatcher gives none.
   * @param members positions of the instances below it, and its own
   */
  async read(
    id: string,
    address: Address,
    members: ReadonlySet<number>,
    wantsCells: boolean,
  ): Promise<BranchRows | null> {
    const known = this.#known.get(id) ?? { revision: "", cells: 0 };
    const cells = wantsCells ? known.cells : -1;
    const query = `form=branch&known=${encodeURIComponent(known.revision)}&cells=${cells}`;
    const path = `/svc/builtin/system_overview?${query}`;
    const request = { path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const answer = await requestInstance(address, request).catch(() => null);
    if (!isPlainObject(answer) || answer.layout !== this.#layout) {
      this.#known.delete(id);
      return null;
    }
    const revision = String(answer.revision).slice(0, MAX_TEXT);
    const number = Number(revision.split("-")[1]) || 0;
    this.#known.set(id, { revision, cells: wantsCells ? number : known.cells });
    return {
      live: acceptRows(answer.live, members, 1, LIVE_COLUMNS.length),
      rest: acceptRows(answer.rest, members, 1, REST_COLUMNS.length),
      cells: acceptRows(answer.cells, members, CELL_KEYS, CELL_COLUMNS.length),
    };
  }
}

/** @param keys number of values before the columns, the first one being the position of a member */
function acceptRows(
  given: unknown,
  members: ReadonlySet<number>,
  keys: number,
  columns: number,
): readonly Row[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((row: unknown) => {
    if (!Array.isArray(row) || !members.has(row[0])) return [];
    return [row.slice(0, keys + columns).map((value) => acceptValue(value))];
  });
}

/** Lists are those of subscribers and failures. */
function acceptValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (Array.isArray(value) && depth < 2) {
    return value.slice(0, MAX_ITEMS).map((item) => acceptValue(item, depth + 1));
  }
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
