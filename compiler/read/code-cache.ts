// Caches the code that V8 has compiled for a large module, for the next process.

import { readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { crc32 } from "node:zlib";
import { replaceCacheFile } from "./cache-file.js";

const CHECKSUM_BYTES = 4;
const PACKAGES = `${sep}node_modules${sep}`;

/**
 * A cache file in the outermost `node_modules` above a module, one for each Node.js and the flags
 * of its V8. It starts with the state of the module and of Node.js, and a checksum, because V8
 * compares little more than the length of the source. Its own tag is equal for builds whose code
 * differs, such as those of Node.js 20.19 and 20.20, which crash with the code of each other.
 */
export class CodeCache {
  readonly #path: string | null;
  readonly #head: Buffer;

  constructor(module: string) {
    const at = module.indexOf(PACKAGES);
    this.#head = Buffer.from(`${stateOf(module)} ${stateOf(process.execPath)}\n`);
    const tag = cachedDataVersionTag().toString(16);
    const name = `${basename(module)}-${process.version}-${tag}.code`;
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

/** An update may have removed the Node.js that runs. */
function stateOf(file: string): string {
  const state = statSync(file, { throwIfNoEntry: false });
  return `${file} ${state?.size} ${state?.mtimeMs}`;
}
