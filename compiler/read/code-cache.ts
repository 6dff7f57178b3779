// Caches the code that V8 has compiled for a large module, for the next process.

import { readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { crc32 } from "node:zlib";
import { replaceCacheFile } from "./cache-file.js";

const CHECKSUM_BYTES = 4;
const PACKAGES = `${sep}node_modules${sep}`;

/**
 * A cache file in the outermost `node_modules` above a module, one for each V8 version and its
 * flags. It starts with the size and time of the module and a checksum, because V8 itself compares
 * little more than the length of the source.
 */
export class CodeCache {
  readonly #path: string | null;
  readonly #head: Buffer;

  constructor(module: string) {
    const at = module.indexOf(PACKAGES);
    const { size, mtimeMs } = statSync(module);
    this.#head = Buffer.from(`${module} ${size} ${mtimeMs}\n`);
    const name = `${basename(module)}-${cachedDataVersionTag().toString(16)}.code`;
    this.#path =
      at === -1 ? null : join(module.slice(0, at + PACKAGES.length), ".cache/svc-server", name);
  }

  /** Returns undefined if there is no code for the current state of the module. */
  read(): Buffer | undefined {
    if (this.#path === null) return undefined;
    try {
      const content = readFileSync(this.#path);
      const start = this.#head.length + CHECKSUM_BYTES;
      const data = content.subarray(start);
      const isSame = content.subarray(0, this.#head.length).equals(this.#head);
      const isIntact = isSame && content.readUInt32LE(this.#head.length) === crc32(data);
      return isIntact ? data : undefined;
    } catch {
      // Missing, unreadable or truncated: it is written again.
      return undefined;
    }
  }

  write(data: Buffer): void {
    if (this.#path === null) return;
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(data));
    replaceCacheFile(this.#path, Buffer.concat([this.#head, checksum, data]));
  }
}
