// Readers of import files, one for each format: they yield records with the position of the next
// one. Files are never read as a whole.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { csvRows } from "./csv.js";
import type { FileRecord, Position } from "./file-record.js";

export type FileFormat = "jsonl" | "csv" | "npy" | "fvecs";

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 65_536;

/** @throws SvcError SVC3060 if a record is not of this format */
export function readRecords(
  file: string,
  format: FileFormat,
  prefix: string,
  from: Position,
): AsyncGenerator<FileRecord> {
  if (format === "jsonl") return jsonLines(file, from);
  if (format === "csv") return csvRows(file, from);
  return format === "npy" ? npyRows(file, prefix, from) : fvecsRows(file, prefix, from);
}

interface Line extends Position {
  readonly text: string;
}

async function* lines(file: string, from: Position): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let { end, line } = from;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes);
    } catch (error) {
      throw new SvcError("SVC3060", `${file}:${line}: invalid UTF-8`, { cause: error });
    }
  };
  const stream = createReadStream(file, { start: end, highWaterMark: CHUNK_BYTES });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
      end += at + 1 - start;
      line++;
      yield { text: decoded(bytes.subarray(start, at)), end, line };
      start = at + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) {
      throw new SvcError("SVC3060", `${file}:${line + 1}: line exceeds 16 MiB`);
    }
  }
  if (rest.length > 0) yield { text: decoded(rest), end: end + rest.length, line: line + 1 };
}

async function* jsonLines(file: string, from: Position): AsyncGenerator<FileRecord> {
  for await (const { text, end, line } of lines(file, from)) {
    if (text.trim() === "") continue;
    yield { value: () => jsonValue(text, `${file}:${line}`), text, end, line };
  }
}

/** @throws SvcError SVC3060 */
function jsonValue(text: string, position: string): ReturnType<FileRecord["value"]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SvcError("SVC3060", `${position}: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SvcError("SVC3060", `${position}: expected a JSON object`);
  }
  return value as ReturnType<FileRecord["value"]>;
}

/** Rows of little-endian float32s, all of the same length. */
async function* npyRows(file: string, prefix: string, from: Position): AsyncGenerator<FileRecord> {
  const handle = await open(file);
  const head = Buffer.alloc(MAX_HEADER_BYTES);
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  await handle.close();
  const isNew = head[6] === 2 || head[6] === 3;
  const headerBytes = isNew ? head.readUInt32LE(8) : head.readUInt16LE(8);
  const start = (isNew ? 12 : 10) + headerBytes;
  const header = head.subarray(isNew ? 12 : 10, start).toString("latin1");
  const shape = /'shape':\s*\((\d+),\s*(\d+)\)/.exec(header);
  const isFloat = /'descr':\s*'<f4'/.test(header) && /'fortran_order':\s*False/.test(header);
  const isNumpy = head.toString("latin1", 1, 6) === "NUMPY" && start <= bytesRead;
  if (!isNumpy || shape === null || !isFloat) {
    throw new SvcError("SVC3060", `${file}: expected rows of little-endian float32`);
  }
  const length = Number(shape[2]);
  const rowBytes = length * 4;
  for await (const { bytes, row } of rows(file, Math.max(from.end, start), rowBytes, from.line)) {
    yield vectorRecord(prefix, row, bytes, start + row * rowBytes);
  }
}

/** Each row consists of a word with its length and that many little-endian float32s. */
async function* fvecsRows(
  file: string,
  prefix: string,
  from: Position,
): AsyncGenerator<FileRecord> {
  const handle = await open(file);
  const head = Buffer.alloc(4);
  const { bytesRead } = await handle.read(head, 0, 4, 0);
  await handle.close();
  const length = bytesRead === 4 ? head.readUInt32LE(0) : 0;
  if (length === 0 || length > MAX_LINE_BYTES / 4) {
    throw new SvcError("SVC3060", `${file}: expected a length followed by that many float32`);
  }
  const rowBytes = 4 + length * 4;
  for await (const { bytes, row } of rows(file, from.end, rowBytes, from.line)) {
    if (bytes.readUInt32LE(0) !== length) {
      throw new SvcError("SVC3060", `${file}: row ${row} differs in length from the first row`);
    }
    yield vectorRecord(prefix, row, bytes.subarray(4), row * rowBytes);
  }
}

function vectorRecord(prefix: string, row: number, bytes: Buffer, end: number): FileRecord {
  const vector = new Float32Array(bytes.length / 4);
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  const value = { id: `${prefix}${row}`, vector };
  return {
    value: () => value,
    get text() {
      return JSON.stringify({ ...value, vector: [...vector] });
    },
    line: row,
    end,
  };
}

async function* rows(
  file: string,
  start: number,
  rowBytes: number,
  before: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly row: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let row = before;
  const stream = createReadStream(file, { start, highWaterMark: CHUNK_BYTES });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + rowBytes <= bytes.length; at += rowBytes) {
      yield { bytes: bytes.subarray(at, at + rowBytes), row: ++row };
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) throw new SvcError("SVC3060", `${file}: row ${row + 1} is truncated`);
}
