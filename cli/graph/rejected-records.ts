// Writes skipped records of an import, unchanged, to a file beside the imported one. After a
// correction, that file can be imported.

import { closeSync, fstatSync, openSync, rmSync, writeSync } from "node:fs";
import { extname } from "node:path";
import type { FileRecord } from "./file-record.js";

/** Number of printed reasons. */
const MAX_PRINTED = 20;

export class RejectedRecords {
  readonly path: string;
  #file: number | null = null;
  count = 0;

  constructor(imported: string, isText: boolean) {
    const end = extname(imported);
    const stem = imported.slice(0, imported.length - end.length);
    this.path = `${stem}.rejected${isText ? end : ".jsonl"}`;
  }

  /** Deletes the file of an earlier import. */
  deleteEarlier(): void {
    rmSync(this.path, { force: true });
  }

  add(record: FileRecord, reason: string): void {
    if (++this.count <= MAX_PRINTED) console.error(reason);
    const { header, text } = record;
    if (this.#file === null) {
      this.#file = openSync(this.path, "a");
      const isNew = fstatSync(this.#file).size === 0;
      if (header !== undefined && isNew) writeSync(this.#file, `${header}\n`);
    }
    writeSync(this.#file, `${text}\n`);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}
