// Imports a file record by record. Saves the graph periodically with the file position, so that an
// interrupted import resumes. Records after the last save are imported twice, so every record is
// idempotent: it sets values, never adds.

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import type { Graph } from "../../runtime/index.js";
import type { Position } from "./file-record.js";
import { importRecord } from "./import-record.js";
import { withGraph } from "./open-graph.js";
import { type FileFormat, readRecords } from "./read-records.js";
import { RejectedRecords } from "./rejected-records.js";
import { buildTextIndex, parseTextIndex } from "./text-index.js";

export interface ImportOptions {
  readonly graph: string | null;
  readonly root: string;
  readonly format: FileFormat | null;
  readonly prefix: string;
  readonly type: string | null;
  /** Keys of a text index, separated by commas, or its options as JSON. */
  readonly textIndex: string | null;
  /** Writes rejected records to a file of their own. */
  readonly skipBad: boolean;
}

const FORMATS = new Map<string, FileFormat>([
  [".jsonl", "jsonl"],
  [".ndjson", "jsonl"],
  [".csv", "csv"],
  [".npy", "npy"],
  [".fvecs", "fvecs"],
]);
const POSITION_FILE = "import.json";
const SAVE_EVERY_MS = 15_000;
const SHOW_EVERY_MS = 200;
const CHECK_EVERY = 256;
const BAR_WIDTH = 30;

/** The file, and the position up to which it was imported. */
interface Progress extends Position {
  readonly file: string;
  readonly bytes: number;
  readonly changedAt: number;
}

/**
 * @throws SvcError SVC3060 if the file cannot be read, or a record is neither a vertex nor an arc
 */
export async function importFile(file: string, options: ImportOptions): Promise<void> {
  const path = resolve(file);
  if (!existsSync(path)) throw new SvcError("SVC3060", `file not found: ${path}`);
  const format = options.format ?? FORMATS.get(extname(path).toLowerCase());
  if (format === undefined) {
    throw new SvcError("SVC3060", `unknown format of ${path}: pass --format`);
  }
  const textIndex = options.textIndex === null ? null : parseTextIndex(options.textIndex);
  await withGraph(options.graph, options.root, false, async (graph) => {
    const { size, mtimeMs } = statSync(path);
    const fileInfo = { file: path, bytes: size, changedAt: mtimeMs };
    const from = storedPosition(graph, fileInfo);
    if (from.end > 0) console.error(`resuming after line ${from.line}`);
    const begun = performance.now();
    let count = 0;
    const bar = new Bar(size);
    const isText = format === "jsonl" || format === "csv";
    const rejected = new RejectedRecords(path, isText);
    if (options.skipBad && from.end === 0) rejected.deleteEarlier();
    let savedAt = begun;
    for await (const record of readRecords(path, format, options.prefix, from)) {
      const { line, end } = record;
      try {
        importRecord(graph, record.value(), { position: `${path}:${line}`, type: options.type });
      } catch (error) {
        if (!options.skipBad || !isBadRecord(error)) throw error;
        rejected.add(record, error.message);
      }
      if (++count % CHECK_EVERY !== 0) continue;
      bar.show(end, count);
      if (performance.now() - savedAt < SAVE_EVERY_MS) continue;
      graph.save(-1);
      storePosition(graph, { ...fileInfo, end, line });
      savedAt = performance.now();
    }
    if (textIndex !== null) await buildTextIndex(graph, textIndex);
    graph.save(-1);
    rmSync(positionFile(graph), { force: true });
    bar.end();
    rejected.close();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const imported = count - rejected.count;
    console.log(`${imported} records in ${seconds} s: ${graph.order} vertices, ${graph.size} arcs`);
    if (rejected.count > 0) console.log(`${rejected.count} records rejected: ${rejected.path}`);
  });
}

function isBadRecord(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === "SVC3060";
}

function positionFile(graph: Graph): string {
  return join(graph.path!, POSITION_FILE);
}

/** Returns the start position: the beginning, unless an import of this file was interrupted. */
function storedPosition(graph: Graph, whole: Omit<Progress, keyof Position>): Position {
  const start = { end: 0, line: 0 };
  const file = positionFile(graph);
  if (!existsSync(file)) return start;
  const stored = JSON.parse(readFileSync(file, "utf8")) as Progress;
  const isSame =
    stored.file === whole.file &&
    stored.bytes === whole.bytes &&
    stored.changedAt === whole.changedAt;
  return isSame ? { end: stored.end, line: stored.line } : start;
}

/** Writes the position under another name and renames it, so that the file is always complete. */
function storePosition(graph: Graph, progress: Progress): void {
  const file = positionFile(graph);
  writeFileSync(`${file}.new`, JSON.stringify(progress));
  renameSync(`${file}.new`, file);
}

/** Progress bar on a terminal. */
class Bar {
  readonly #bytes: number;
  #shownAt = 0;

  constructor(bytes: number) {
    this.#bytes = Math.max(1, bytes);
  }

  show(end: number, count: number): void {
    if (!process.stderr.isTTY || performance.now() - this.#shownAt < SHOW_EVERY_MS) return;
    this.#shownAt = performance.now();
    const share = Math.min(1, end / this.#bytes);
    const done = "#".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, ".");
    process.stderr.write(`\r[${done}] ${Math.floor(share * 100)} %  ${count} records `);
  }

  end(): void {
    if (process.stderr.isTTY && this.#shownAt > 0) process.stderr.write("\r\x1b[K");
  }
}
