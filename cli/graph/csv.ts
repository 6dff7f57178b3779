// Reads the records of a CSV file with csv-parse. The first row names the columns; unknown columns
// become properties.

import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { SvcError } from "../../runtime/base/errors.js";
import type { FileRecord, Position } from "./file-record.js";

/** Columns that are members of a vertex or an arc; all others are properties. */
const MEMBERS = new Set(["id", "type", "vector", "lifespan"]);
const ARC_MEMBERS = new Set(["initial", "relationship", "modifier", "value", "terminal"]);
/** Prefix of the columns of vectors with a name. */
const NAMED_VECTOR = "vector:";
const NUMBERS = new Set(["value", "lifespan"]);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const CHUNK_BYTES = 1024 * 1024;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

interface Row {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly bytes: number; readonly lines: number };
}

/** Yields the rows after a position; each includes the text of the header. */
export async function* csvRows(file: string, from: Position): AsyncGenerator<FileRecord> {
  /** Errors of rows; collected, because the parser reads ahead of the rows that it returns. */
  const unreadable: FileRecord[] = [];
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_RECORD_BYTES,
    on_skip: (error, raw) => {
      if (error !== undefined) unreadable.push(unreadableRow(file, error, raw ?? ""));
    },
  });
  // Ignored here: errors of the file reach the consumer of the parser.
  pipeline(Readable.from(decoded(file)), parser, () => {});
  let header: Row | null = null;
  for await (const row of parser as AsyncIterable<Row>) {
    const { bytes } = row.info;
    while (unreadable.length > 0 && unreadable[0]!.end < bytes) {
      yield withHeader(unreadable.shift()!, header);
    }
    if (header === null) header = row;
    else if (bytes > from.end) yield rowRecord(file, header, row);
  }
  for (const record of unreadable) yield withHeader(record, header);
}

function withHeader(record: FileRecord, header: Row | null): FileRecord {
  return header === null ? record : { ...record, header: header.raw.trimEnd() };
}

function rowRecord(file: string, header: Row, { record, raw, info }: Row): FileRecord {
  const position = `${file}:${info.lines}`;
  return {
    value: () => csvValue(header.record, record, position),
    text: raw.trimEnd(),
    header: header.raw.trimEnd(),
    line: info.lines,
    end: info.bytes,
  };
}

function unreadableRow(file: string, error: CsvError, raw: string): FileRecord {
  const { lines = 0, bytes = 0 } = error as { lines?: number; bytes?: number };
  const value = (): never => {
    throw new SvcError("SVC3060", `${file}:${lines}: ${error.message}`, { cause: error });
  };
  return { value, text: raw.trimEnd(), line: lines, end: bytes };
}

/** @throws SvcError SVC3060 if the file is not UTF-8 */
async function* decoded(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SvcError("SVC3060", `${file}: invalid UTF-8`, { cause: error });
  }
}

/**
 * Returns the members of a row without empty fields.
 * @throws SvcError SVC3060
 */
function csvValue(
  header: readonly string[],
  fields: readonly string[],
  position: string,
): Readonly<Record<string, unknown>> {
  if (fields.length !== header.length) {
    const counts = `expected ${header.length} fields, got ${fields.length}`;
    throw new SvcError("SVC3060", `${position}: ${counts}`);
  }
  const isArc = header.includes("initial");
  const members: [string, unknown][] = [];
  const properties: [string, unknown][] = [];
  const vectors: [string, unknown][] = [];
  for (const [index, name] of header.entries()) {
    const value = fields[index]!;
    if (value === "") continue;
    if (!isArc && name.startsWith(NAMED_VECTOR)) {
      vectors.push([name.slice(NAMED_VECTOR.length), vectorOf(value)]);
    } else if ((isArc ? ARC_MEMBERS : MEMBERS).has(name)) {
      members.push([name, memberOf(name, value)]);
    } else properties.push([name, NUMBER.test(value) ? Number(value) : value]);
  }
  if (vectors.length > 0) members.push(["vectors", Object.fromEntries(vectors)]);
  if (properties.length > 0) members.push(["properties", Object.fromEntries(properties)]);
  return Object.fromEntries(members);
}

function memberOf(name: string, value: string): unknown {
  if (NUMBERS.has(name)) return Number(value);
  return name === "vector" ? vectorOf(value) : value;
}

/** Parses a vector: numbers separated by spaces, commas or semicolons, with or without brackets. */
function vectorOf(value: string): number[] {
  const numbers = value.replace(/^\s*\[|\]\s*$/g, "").split(/[\s,;]+/);
  return numbers.filter((text) => text !== "").map(Number);
}
