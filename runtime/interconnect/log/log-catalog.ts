// The graphs that a log has units of: the numbers by which units name them, and how far each is
// logged. A table in each segment, and units of the log itself, say which number means what.

import { operationCountAfter, operationCountBefore } from "../../graph/log/transaction-format.js";
import { DataError } from "../../graph/model/errors.js";
import { FRAME_HEADER_BYTES } from "./segment-format.js";
import type { Frame } from "./segment-reader.js";
import { forEachTransaction, paddedJson } from "./transactions.js";

/** What the log says of a graph. */
export interface GraphEntry {
  readonly number: number;
  readonly identity: string;
  readonly name: string;
  /** Folder below the root, with `/`. */
  readonly path: string;
}

export interface LoggedGraph extends GraphEntry {
  /** Operation counts before the first and behind the last of its units; null: there are none. */
  before: number | null;
  after: number;
  isErased: boolean;
}

/** What a control unit says. */
export type Control = { readonly opened: GraphEntry } | { readonly erased: number };

const IDENTITY = /^[0-9a-f]{32}$/;

export class LogCatalog {
  readonly #byNumber = new Map<number, LoggedGraph>();
  #lastNumber = 0;

  /** Those that were not erased. */
  all(): LoggedGraph[] {
    return [...this.#byNumber.values()].filter(({ isErased }) => !isErased);
  }

  byNumber(number: number): LoggedGraph | undefined {
    return this.#byNumber.get(number);
  }

  byIdentity(identity: string): LoggedGraph | undefined {
    return [...this.#byNumber.values()].find((graph) => graph.identity === identity);
  }

  /** The one of a name that was opened last, and not erased. */
  byName(name: string): LoggedGraph | undefined {
    return this.all().findLast((graph) => graph.name === name);
  }

  /** The number that was given last. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Gives a graph the next number. */
  add(entry: Omit<GraphEntry, "number">): LoggedGraph {
    return this.#enter({ ...entry, number: this.#lastNumber + 1 });
  }

  /** The table that a segment begins with. */
  table(): Buffer {
    const entries = this.all().map(({ number, identity, name, path }) => {
      return { number, identity, name, path };
    });
    return paddedJson(entries);
  }

  /**
   * Takes in what a frame says.
   * @param reached is told of each unit: its graph, whose operation count is so high behind it
   * @throws DataError, SyntaxError it makes no sense, for all its checksum
   */
  readFrame(frame: Frame, reached: (graph: number, after: number) => void): void {
    if (frame.header.isTable) {
      this.#readTable(frame.bytes.subarray(FRAME_HEADER_BYTES));
      return;
    }
    forEachTransaction(frame, {
      unit: (words, at, graph) => {
        const after = operationCountAfter(words, at);
        this.#reach(graph, operationCountBefore(words, at), after);
        reached(graph, after);
      },
      control: (json) => this.#readControl(json),
    });
  }

  #readTable(bytes: Uint8Array): void {
    const entries: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (!Array.isArray(entries)) throw new DataError("the table of a log is no list");
    for (const entry of entries) this.#enter(entry);
  }

  #readControl(control: unknown): void {
    const { opened, erased } = Object(control) as Partial<{ opened: GraphEntry; erased: number }>;
    if (opened !== undefined) this.#enter(opened);
    else {
      const graph = this.#byNumber.get(erased!);
      if (graph !== undefined) graph.isErased = true;
    }
  }

  /** A unit of a graph, which is known. */
  #reach(number: number, before: number, after: number): void {
    const graph = this.#byNumber.get(number);
    if (graph === undefined) throw new DataError(`a log has a unit of an unknown graph: ${number}`);
    // What was done while nothing was logged is missing: only from here on is there all.
    if (graph.before === null || before !== graph.after) graph.before = before;
    graph.after = after;
  }

  #enter(entry: GraphEntry): LoggedGraph {
    if (!isEntry(Object(entry))) throw new DataError("a log names a graph that can be none");
    const { number, identity, name, path } = entry;
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const graph = { number, identity, name, path, before: null, after: 0, isErased: false };
    this.#byNumber.set(number, graph);
    this.#lastNumber = Math.max(this.#lastNumber, number);
    return graph;
  }
}

function isEntry({ number, identity, name, path }: Partial<GraphEntry>): boolean {
  const isNumber = Number.isInteger(number) && number! > 0 && number! < 2 ** 32;
  const areTexts = typeof name === "string" && typeof path === "string";
  return isNumber && areTexts && typeof identity === "string" && IDENTITY.test(identity);
}
