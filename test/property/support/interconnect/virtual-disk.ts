// A file system in memory that loses what was not flushed when the power fails: each sector written
// since the last flush of its file has the old or the new content, and each change of a folder
// since its last flush has happened or not. A rename happens as a whole.

import type { Random } from "../random.js";

const SECTOR_BYTES = 512;
const MIN_ROOM_BYTES = 1024;

/** The bytes that a write has replaced. */
interface Replaced {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Length of the file before. */
  readonly length: number;
}

export class VirtualFile {
  #room = Buffer.alloc(0);
  #length = 0;
  /** Since the last flush. */
  #replaced: Replaced[] = [];
  modifiedAt = 0;

  get size(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(position + into.length, this.#length);
    return position >= end ? 0 : this.#room.copy(into, 0, position, end);
  }

  write(bytes: Uint8Array, position: number): void {
    this.#keep(position, position + bytes.length);
    this.#resize(Math.max(this.#length, position + bytes.length));
    this.#room.set(bytes, position);
    this.modifiedAt = Date.now();
  }

  truncate(length: number): void {
    this.#keep(Math.min(length, this.#length), this.#length);
    this.#resize(length);
  }

  flush(): void {
    this.#replaced = [];
  }

  losePower(random: Random): void {
    if (this.#replaced.length === 0) return;
    const now = Buffer.from(this.bytes);
    for (const { offset, bytes, length } of this.#replaced.splice(0).reverse()) {
      this.#resize(length);
      this.#room.set(bytes, offset);
    }
    const safeBytes = Buffer.from(this.bytes);
    const isLonger = now.length > safeBytes.length;
    let length = random.below(2) === 0 ? now.length : safeBytes.length;
    if (isLonger && random.below(2) === 0) {
      length = safeBytes.length + random.below(now.length - safeBytes.length + 1);
    }
    this.#resize(0);
    this.#resize(length);
    for (let offset = 0; offset < length; offset += SECTOR_BYTES) {
      const source = random.below(2) === 0 ? safeBytes : now;
      const part = source.subarray(offset, Math.min(offset + SECTOR_BYTES, length));
      this.#room.set(part, offset);
    }
  }

  #keep(from: number, end: number): void {
    const bytes = Buffer.from(this.#room.subarray(from, Math.min(end, this.#length)));
    this.#replaced.push({ offset: from, bytes, length: this.#length });
  }

  /** Behind a file of this length, its buffer has nothing but zeros. */
  #resize(length: number): void {
    if (length < this.#length) this.#room.fill(0, length, this.#length);
    if (length > this.#room.length) {
      const larger = Buffer.alloc(Math.max(MIN_ROOM_BYTES, 2 * length));
      this.#room.copy(larger);
      this.#room = larger;
    }
    this.#length = length;
  }
}

export class VirtualFolder {
  readonly entries = new Map<string, VirtualFile | VirtualFolder>();
  /** The entries that certainly survive. */
  readonly safe = new Map<string, VirtualFile | VirtualFolder>();
}

/** An entry that gets another file or folder; null: none. */
export type Entry = readonly [VirtualFolder, string, VirtualFile | VirtualFolder | null];

export class VirtualDisk {
  readonly root = new VirtualFolder();
  /** Each flush takes long. */
  isSlow = false;
  /** Changes of entries that no flush has made durable. */
  #changes: (readonly Entry[])[] = [];

  /** Changes entries together. */
  change(...entries: readonly Entry[]): void {
    this.#changes.push(entries);
    for (const [folder, name, node] of entries) put(folder.entries, name, node);
  }

  flushFolder(folder: VirtualFolder): void {
    this.#changes = this.#changes.filter((entries) => {
      if (entries.every(([path]) => path !== folder)) return true;
      makeSafe(entries);
      return false;
    });
  }

  losePower(random: Random): void {
    for (const entries of this.#changes.splice(0)) {
      if (random.below(2) === 0) makeSafe(entries);
    }
    lose(this.root, random);
  }
}

function makeSafe(entries: readonly Entry[]): void {
  for (const [folder, name, node] of entries) put(folder.safe, name, node);
}

function put(map: VirtualFolder["entries"], name: string, node: Entry[2]): void {
  if (node === null) map.delete(name);
  else map.set(name, node);
}

function lose(folder: VirtualFolder, random: Random): void {
  folder.entries.clear();
  for (const [name, node] of folder.safe) {
    folder.entries.set(name, node);
    if (node instanceof VirtualFile) node.losePower(random);
    else lose(node, random);
  }
}
