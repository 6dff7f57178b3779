// In-memory disk that loses unflushed data on a power loss: each sector written since the last
// flush randomly has its old or its new content; the same for names in folders. It can also fail.

import type { Disk, DiskFile } from "../../../../runtime/interconnect/log/disk.js";
import type { Random } from "../../../property/support/random.js";

const SECTOR_BYTES = 512;
const MIN_ROOM_BYTES = 4096;

/** Faults that the test injects. */
export interface Faults {
  /** Called before each write operation; throws to make it fail. */
  before?: (operation: "write" | "flush" | "create" | "folder" | "truncate" | "remove") => void;
  /** Called after each close; throws to report a failure. */
  closed?: () => void;
  /** Called before each read, with the requested bytes; throws to make it fail. */
  unreadable?: (from: number, end: number) => void;
  /** Flushes do nothing: a negative control, which tests must detect. */
  isLying?: boolean;
}

class Content {
  /** State as seen by programs. */
  bytes = Buffer.from(new ArrayBuffer(0));
  /** State that certainly survives a power loss. */
  safe = Buffer.alloc(0);

  write(bytes: Uint8Array, position: number): void {
    const end = Math.max(this.bytes.length, position + bytes.length);
    // Behind a file of this length, its buffer has nothing but zeros.
    const room = this.bytes.buffer.byteLength;
    if (end > room) {
      const larger = Buffer.from(new ArrayBuffer(Math.max(MIN_ROOM_BYTES, 2 * end)));
      this.bytes.copy(larger);
      this.bytes = larger;
    }
    this.bytes = Buffer.from(this.bytes.buffer, 0, end);
    this.bytes.set(bytes, position);
  }

  truncate(bytes: number): void {
    if (bytes >= this.bytes.length) return;
    this.bytes.fill(0, bytes);
    this.bytes = this.bytes.subarray(0, bytes);
  }
}

export class SimulatedDisk implements Disk {
  readonly faults: Faults;
  /** Files that were opened and not closed. */
  openFiles = 0;
  #files = new Map<string, Content>();
  /** Names that are durable. */
  #safeNames = new Map<string, Content>();

  constructor(faults: Faults = {}) {
    this.faults = faults;
  }

  names(folder: string): string[] {
    const prefix = `${folder}/`;
    const inside = [...this.#files.keys()].filter((path) => path.startsWith(prefix));
    return inside.map((path) => path.slice(prefix.length)).filter((name) => !name.includes("/"));
  }

  makeFolder(): void {}

  open(path: string): DiskFile {
    const content = this.#files.get(path);
    if (content === undefined) throw new Error(`ENOENT: ${path}`);
    return this.#handle(content);
  }

  create(path: string): DiskFile {
    this.faults.before?.("create");
    const content = new Content();
    this.#files.set(path, content);
    return this.#handle(content);
  }

  remove(path: string): void {
    this.faults.before?.("remove");
    if (!this.#files.delete(path)) throw new Error(`ENOENT: ${path}`);
  }

  flushFolder(folder: string): void {
    this.faults.before?.("folder");
    if (this.faults.isLying === true) return;
    const prefix = `${folder}/`;
    for (const path of this.#safeNames.keys()) {
      if (path.startsWith(prefix) && !this.#files.has(path)) this.#safeNames.delete(path);
    }
    for (const [path, content] of this.#files) {
      if (path.startsWith(prefix)) this.#safeNames.set(path, content);
    }
  }

  freeBytes(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Bytes of a file, for injecting corruption. */
  readContent(path: string): Buffer {
    return this.#files.get(path)!.bytes;
  }

  /** State after the power is back. */
  losePower(random: Random): void {
    const files = new Map<string, Content>();
    for (const path of new Set([...this.#files.keys(), ...this.#safeNames.keys()])) {
      const now = this.#files.get(path);
      const safe = this.#safeNames.get(path);
      const content = now === safe || random.below(2) === 0 ? safe : now;
      if (content !== undefined) files.set(path, content);
    }
    for (const content of new Set(files.values())) lose(content, random);
    this.#files = files;
    this.#safeNames = new Map(files);
  }

  #handle(content: Content): DiskFile {
    const { faults } = this;
    this.openFiles++;
    const flushNow = (): void => {
      faults.before?.("flush");
      if (faults.isLying !== true) content.safe = Buffer.from(content.bytes);
    };
    return {
      size: () => content.bytes.length,
      read: (into, position) => {
        const end = Math.min(position + into.length, content.bytes.length);
        faults.unreadable?.(position, end);
        return content.bytes.copy(into, 0, position, end);
      },
      write: (bytes, position) => {
        content.write(bytes, position);
        // A failed write may be partial.
        faults.before?.("write");
      },
      flush: async () => flushNow(),
      flushNow,
      truncate: (bytes) => {
        faults.before?.("truncate");
        content.truncate(bytes);
      },
      close: () => {
        this.openFiles--;
        faults.closed?.();
      },
    };
  }
}

function lose(content: Content, random: Random): void {
  const { bytes, safe } = content;
  const isLonger = bytes.length > safe.length;
  const length = random.below(2) === 0 ? bytes.length : safe.length;
  const torn =
    isLonger && random.below(2) === 0
      ? safe.length + random.below(bytes.length - safe.length + 1)
      : length;
  const result = Buffer.alloc(torn);
  for (let offset = 0; offset < torn; offset += SECTOR_BYTES) {
    const source = random.below(2) === 0 ? safe : bytes;
    if (offset >= source.length) continue;
    source.copy(result, offset, offset, Math.min(offset + SECTOR_BYTES, torn, source.length));
  }
  content.bytes = Buffer.from(new Uint8Array(result).buffer);
  content.safe = Buffer.from(result);
}
