// Writes the records that an import skips to a file beside the imported one, unchanged: once
// corrected, that file can be imported.

import { closeSync, openSync, writeSync } from "node:fs";
import { extname } from "node:path";
import type { FileRecord } from "./file-record.js";

/** Number of printed reasons. */
const MAX_PRINTED = 20;

export class RejectedRecords {
  readonly path: string;
  readonly #isAppended: boolean;
  #file: number | null = null;
  count = 0;

  /** @param isAppended whether to keep the records of an interrupted import */
  constructor(imported: string, isText: boolean, isAppended: boolean) {
    const end = extname(imported);
    const stem = imported.slice(0, imported.length - end.length);
    this.path = `${stem}.rejected${isText ? end : ".jsonl"}`;
    this.#isAppended = isAppended;
  }

  add(record: FileRecord, reason: string): void {
    if (++this.count <= MAX_PRINTED) console.error(reason);
    const { header, text } = record;
    if (this.#file === null) {
      this.#file = openSync(this.path, this.#isAppended ? "a" : "w");
      if (header !== undefined && !this.#isAppended) writeSync(this.#file, `${header}\n`);
    }
    writeSync(this.#file, `${text}\n`);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}
