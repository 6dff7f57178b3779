// Reads the manifests of a backup, and checks each against the hash in the manifest that refers to
// it.

import { SvcError } from "../../base/errors.js";
import {
  LATEST,
  type Latest,
  MANIFESTS,
  MAX_MANIFEST_BYTES,
  type Manifest,
  manifestName,
  parseLatest,
  parseManifest,
  sha256,
} from "./manifest.js";
import type { ObjectStore } from "./object-store.js";

const MAX_LATEST_BYTES = 1024;
const NAME = new RegExp(`^${MANIFESTS}([0-9]{10})\\.json$`);

export interface ReadManifest {
  readonly manifest: Manifest;
  readonly hash: string;
}

export interface BackupEnd extends ReadManifest {
  /** Millisecond up to which the backup is complete. */
  readonly time: number;
}

export class BackupChain {
  readonly store: ObjectStore;

  constructor(store: ObjectStore) {
    this.store = store;
  }

  /** Returns null if there is no such manifest. @throws SvcError SVC3420 */
  async read(number: number): Promise<ReadManifest | null> {
    const bytes = await this.store.get(manifestName(number), MAX_MANIFEST_BYTES);
    if (bytes === null) return null;
    return { manifest: parseManifest(bytes, number), hash: sha256(bytes) };
  }

  /** @throws SvcError SVC3420 if it is missing, or has another hash */
  async require(number: number, hash?: string): Promise<ReadManifest> {
    const found = await this.read(number);
    if (found === null) throw this.#missing(number);
    if ((hash ?? found.hash) === found.hash) return found;
    throw new SvcError("SVC3420", `${manifestName(number)} of ${this.store.uri} was replaced`);
  }

  /** Returns the record of the last manifest; null if it is missing or invalid. */
  async latest(): Promise<Latest | null> {
    const bytes = await this.store.get(LATEST, MAX_LATEST_BYTES);
    return bytes === null ? null : parseLatest(bytes);
  }

  /** Returns the last manifest; null: there is no backup. @throws SvcError SVC3420 */
  async end(): Promise<BackupEnd | null> {
    const latest = await this.latest();
    const number = latest?.number ?? (await this.#highest());
    let last = await this.#readLast(number);
    if (last === null) {
      // A location that is emptied while a step writes to it keeps a name without manifests.
      const highest = await this.#highest();
      if (highest === 0) return null;
      throw this.#missing(number, highest);
    }
    // A manifest is written before the record of the last one, so look for later ones.
    for (;;) {
      const next = await this.#readLast(last.manifest.number + 1);
      if (next === null) break;
      last = next;
    }
    const { manifest } = last;
    const isCurrent = latest?.number === manifest.number;
    return { ...last, time: isCurrent ? Math.max(latest.time, manifest.time) : manifest.time };
  }

  /** Without the last manifest, the backup ends before it. @throws SvcError SVC3420 */
  async #readLast(number: number): Promise<ReadManifest | null> {
    try {
      return await this.read(number);
    } catch (error) {
      const { code, message } = error as SvcError;
      const previous = manifestName(number - 1);
      if (code !== "SVC3420" || !(await this.store.has(previous))) throw error;
      const fix = `copy it back, or move it and ${LATEST} away to continue after ${previous}`;
      throw new SvcError("SVC3420", `${message}: ${fix}`, { cause: error });
    }
  }

  /**
   * Yields a full backup and the manifests that continue it without a gap.
   * @param end of the backup
   * @param hash of the full backup
   * @throws SvcError SVC3420
   */
  async *since(
    end: BackupEnd,
    full: number,
    hash?: string,
  ): AsyncGenerator<ReadManifest, void, void> {
    let current = await this.require(full, hash);
    yield current;
    while (current.manifest.number < end.manifest.number) {
      const next = await this.require(current.manifest.number + 1);
      if (!next.manifest.continues) return;
      if (next.manifest.previous !== current.hash) {
        const name = manifestName(next.manifest.number);
        throw new SvcError("SVC3420", `${name} of ${this.store.uri} follows another manifest`);
      }
      current = next;
      yield current;
    }
  }

  /**
   * Returns whether the location was emptied after the full backup that a manifest follows: that
   * one is missing, and so is everything before it.
   */
  async wasEmptiedBefore({ full }: Manifest): Promise<boolean> {
    if ((await this.read(full)) !== null) return false;
    for await (const number of this.#numbers()) if (number < full) return false;
    return true;
  }

  /** @param highest number of the last manifest, if the record of the last one names another */
  #missing(number: number, highest?: number): SvcError {
    const { uri } = this.store;
    const missing = `${manifestName(number)} of ${uri} is missing`;
    if (highest === undefined) return new SvcError("SVC3420", missing);
    // A later one, which a step wrote before it was killed, continues the missing one.
    const other = `delete ${LATEST} to continue after ${manifestName(highest)}`;
    const fix = highest > number ? "copy it back" : `copy it back, or ${other}`;
    return new SvcError("SVC3420", `${missing}, but ${LATEST} names it: ${fix}`);
  }

  async #highest(): Promise<number> {
    let highest = 0;
    for await (const number of this.#numbers()) highest = Math.max(highest, number);
    return highest;
  }

  /** Yields the numbers of all manifests. */
  async *#numbers(): AsyncGenerator<number, void, void> {
    for await (const { name } of this.store.list(MANIFESTS)) {
      const [, number] = NAME.exec(name) ?? [];
      if (number !== undefined) yield Number(number);
    }
  }
}
