// External values: property values on disk, one file each, below the folder of their graph.
//
//   .values/ab/cdef...   one byte for the kind of value, then its bytes
//
// Files are content-addressed: the name is the SHA-256 of the content. So a file never changes,
// equal values share a file, and instances with equal graphs have equal names. Memory stores the 32
// bytes of the name. A file is complete and flushed before a property refers to it.

import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import type { StorageLocation } from "../memory/graph-memory.js";
import { DataError } from "../model/errors.js";
import { PackedValue, PropertyKind } from "./property-values.js";

/** Subfolder of the graph's folder. */
export const VALUES_FOLDER = ".values";
/** Maximum bytes of a file: a value must fit in one log record. */
export const MAX_DISK_BYTES = 2 ** 22;

export class ExternalValues {
  readonly #location: StorageLocation | null;

  constructor(location: StorageLocation | null) {
    this.#location = location;
  }

  /**
   * Writes content to disk unless it exists already.
   * @throws DataError if the file system fails, or the graph has no folder
   */
  put(content: Uint8Array): ExternalValue {
    if (this.#location?.isWritable !== true) {
      throw new DataError("cannot store an external value: the graph is in-memory only");
    }
    const address = createHash("sha256").update(content).digest();
    try {
      putFile(join(this.#location.folder, VALUES_FOLDER), address, content);
    } catch (error) {
      const text = `a value cannot be kept on disk: ${(error as Error).message}`;
      throw new DataError(text, { cause: error });
    }
    return new ExternalValue(address, this);
  }

  /** @throws DataError if the file is missing or corrupt */
  get(address: Uint8Array): Uint8Array {
    const folder = this.#location === null ? "" : join(this.#location.folder, VALUES_FOLDER);
    const file = valueFile(folder, address);
    let content: Uint8Array;
    try {
      content = readFileSync(file);
    } catch (error) {
      const text = `a value that is kept on disk cannot be read: ${(error as Error).message}`;
      throw new DataError(text, { cause: error });
    }
    if (createHash("sha256").update(content).digest().equals(address)) return content;
    throw new DataError(`external value is corrupt: ${file}`);
  }
}

/** Reference to an external value. Code that does not read it treats it as an unordered value. */
export class ExternalValue extends PackedValue {
  readonly #values: ExternalValues;

  constructor(address: Uint8Array, values: ExternalValues) {
    super(PropertyKind.Opaque, address);
    this.#values = values;
  }

  /** Returns kind and bytes. @throws DataError */
  content(): Uint8Array {
    return this.#values.get(this.bytes);
  }
}

/** Writes content into a folder of values. */
function putFile(folder: string, address: Uint8Array, content: Uint8Array): void {
  const file = valueFile(folder, address);
  if (existsSync(file)) {
    // Renews the age of the file, so that it is not removed as an orphan.
    utimesSync(file, new Date(), new Date());
    return;
  }
  const parent = dirname(file);
  mkdirDurable(parent);
  const temporary = join(parent, `new-${randomUUID()}`);
  try {
    writeFileSync(temporary, content, { flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  // Another thread may just have created the folders without flushing them yet.
  for (const entered of [parent, folder]) fsyncDirectory(entered);
}

/** Returns the value files of a graph, unordered. */
export function listValues(graphFolder: string): { file: string; bytes: number }[] {
  const folder = join(graphFolder, VALUES_FOLDER);
  if (!existsSync(folder)) return [];
  const parents = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return parents.flatMap((parent) => {
    const names = readdirSync(join(folder, parent)).filter((name) => /^[0-9a-f]{62}$/.test(name));
    return names.map((name) => {
      const file = join(folder, parent, name);
      return { file, bytes: statSync(file).size };
    });
  });
}

/** Copies values from a file of {length, content} records into the folder of a graph. */
export function installValues(graphFolder: string, received: string): void {
  const descriptor = openSync(received, "r");
  try {
    const length = Buffer.alloc(4);
    for (
      let at = 0;
      readSync(descriptor, length, 0, 4, at) === 4;
      at += 4 + length.readUInt32LE()
    ) {
      const bytes = length.readUInt32LE();
      if (bytes > MAX_DISK_BYTES) throw new DataError("a value that was received is too long");
      const content = Buffer.alloc(bytes);
      readSync(descriptor, content, 0, bytes, at + 4);
      const address = createHash("sha256").update(content).digest();
      putFile(join(graphFolder, VALUES_FOLDER), address, content);
    }
  } finally {
    closeSync(descriptor);
  }
}

function valueFile(folder: string, address: Uint8Array): string {
  const name = Buffer.from(address).toString("hex");
  return join(folder, name.slice(0, 2), name.slice(2));
}
