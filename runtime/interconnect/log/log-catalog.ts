// Catalog of the graphs in a log: the number of each in transactions, and the operation counts that
// the log covers. Built from the table at the head of each segment and from control records.

import { operationCountAfter, operationCountBefore } from "../../graph/log/transaction-format.js";
import { DataError } from "../../graph/model/errors.js";
import { FRAME_HEADER_BYTES } from "./segment-format.js";
import type { Frame } from "./segment-reader.js";
import { forEachTransaction, paddedJson } from "./transactions.js";

/** Identity of a graph in the log. */
export interface GraphEntry {
  readonly number: number;
  readonly identity: string;
  readonly name: string;
  /** Folder relative to the data folder, with `/`. */
  readonly path: string;
}

export interface LoggedGraph extends GraphEntry {
  /**
   * Operation counts before its first and after its last transaction in the log. `before` is null
   * without transactions.
   */
  before: number | null;
  after: number;
  isErased: boolean;
}

/** Content of a control record. */
export type ControlRecord = { readonly opened: GraphEntry } | { readonly erased: number };

const IDENTITY = /^[0-9a-f]{32}$/;

export class LogCatalog {
  readonly #byNumber = new Map<number, LoggedGraph>();
  #lastNumber = 0;

  /** Returns the graphs that are not erased. */
  all(): LoggedGraph[] {
    return [...this.#byNumber.values()].filter(({ isErased }) => !isErased);
  }

  byNumber(number: number): LoggedGraph | undefined {
    return this.#byNumber.get(number);
  }

  byIdentity(identity: string): LoggedGraph | undefined {
    return [...this.#byNumber.values()].find((graph) => graph.identity === identity);
  }

  /** Returns the graph of that name that was opened last and is not erased. */
  byName(name: string): LoggedGraph | undefined {
    return this.all().findLast((graph) => graph.name === name);
  }

  /** Highest assigned number. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Assigns the next number to a graph. */
  add(entry: Omit<GraphEntry, "number">): LoggedGraph {
    return this.#addEntry({ ...entry, number: this.#lastNumber + 1 });
  }

  /** Returns the table at the head of a segment. */
  table(): Buffer {
    const entries = this.all().map(({ number, identity, name, path }) => {
      return { number, identity, name, path };
    });
    return paddedJson(entries);
  }

  /**
   * Updates the catalog from a frame.
   * @param onTransaction receives the graph and its operation count after the transaction
   * @throws DataError, SyntaxError if the content is invalid despite its checksum
   */
  readFrame(frame: Frame, onTransaction: (graph: number, after: number) => void): void {
    if (frame.header.isTable) {
      this.readTable(frame);
      return;
    }
    forEachTransaction(frame, {
      transaction: (words, at, graph) => {
        const after = operationCountAfter(words, at);
        this.#recordTransaction(graph, operationCountBefore(words, at), after);
        onTransaction(graph, after);
      },
      control: (json) => this.readControl(json),
    });
  }

  /** Adds the graphs of the table at the head of a segment. */
  readTable({ bytes }: Frame): void {
    const entries: unknown = JSON.parse(bytes.subarray(FRAME_HEADER_BYTES).toString());
    if (!Array.isArray(entries)) throw new DataError("graph table of the log is not a list");
    for (const entry of entries) this.#addEntry(entry);
  }

  /** Updates the catalog from a control record. */
  readControl(control: unknown): void {
    const { opened, erased } = Object(control) as Partial<{ opened: GraphEntry; erased: number }>;
    if (opened !== undefined) this.#addEntry(opened);
    else {
      const graph = this.#byNumber.get(erased!);
      if (graph !== undefined) graph.isErased = true;
    }
  }

  /** @throws DataError if the graph is unknown */
  #recordTransaction(number: number, before: number, after: number): void {
    const graph = this.#byNumber.get(number);
    if (graph === undefined) throw new DataError(`log refers to unknown graph ${number}`);
    // The log lacks changes made while logging was off, so it is complete only from here on.
    if (graph.before === null || before !== graph.after) graph.before = before;
    graph.after = after;
  }

  #addEntry(entry: GraphEntry): LoggedGraph {
    if (!isEntry(Object(entry))) throw new DataError("log contains an invalid graph name");
    const { number, identity, name, path } = entry;
    const existing = this.#byNumber.get(number);
    if (existing !== undefined) return existing;
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
