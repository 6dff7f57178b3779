// A location of backups in memory, and manifests that follow each other.

import {
  encodeManifest,
  LATEST,
  type Manifest,
  manifestName,
  sha256,
} from "../../../../runtime/interconnect/archive/manifest.js";
import type {
  ObjectStore,
  StoredObject,
} from "../../../../runtime/interconnect/archive/object-store.js";

export const ID = "a".repeat(32);

export class MemoryStore implements ObjectStore {
  readonly uri = "memory";
  readonly objects = new Map<string, { readonly bytes: Buffer; modifiedAt: number }>();

  async put(name: string, content: Uint8Array): Promise<void> {
    this.objects.set(name, { bytes: Buffer.from(content), modifiedAt: 0 });
  }

  async putNew(name: string, content: Uint8Array): Promise<boolean> {
    if (this.objects.has(name)) return false;
    await this.put(name, content);
    return true;
  }

  async has(name: string): Promise<boolean> {
    return this.objects.has(name);
  }

  async get(name: string): Promise<Buffer | null> {
    return this.objects.get(name)?.bytes ?? null;
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    for (const [name, { modifiedAt }] of [...this.objects]) {
      if (name.startsWith(prefix)) yield { name, modifiedAt };
    }
  }

  async remove(name: string): Promise<void> {
    this.objects.delete(name);
  }

  /** Adds the next manifests: full backups, or additions to them. */
  async add(...manifests: readonly Partial<Manifest>[]): Promise<Manifest[]> {
    const added: Manifest[] = [];
    for (const options of manifests) {
      const olderManifests = [...this.objects.keys()].filter((name) =>
        name.startsWith("manifests/"),
      );
      const number = olderManifests.length + 1;
      const bytes = this.objects.get(manifestName(number - 1))?.bytes;
      const log = { id: ID, sn: 10 * number, chain: number, at: 100 * number };
      const full = bytes === undefined ? 1 : (JSON.parse(bytes.toString()) as Manifest).full;
      const manifest: Manifest = {
        ...{ format: 1, number, previous: bytes === undefined ? null : sha256(bytes), full, log },
        ...{ time: 100_000 * number, continues: true, pieces: [], graphs: [], fulls: [] },
        ...options,
      };
      await this.put(manifestName(manifest.number), encodeManifest(manifest));
      added.push(manifest);
    }
    return added;
  }

  async name(number: number, time: number): Promise<void> {
    await this.put(LATEST, Buffer.from(JSON.stringify({ number, time })));
  }

  segmentHash(number: number): string {
    return sha256(this.objects.get(manifestName(number))!.bytes);
  }
}
