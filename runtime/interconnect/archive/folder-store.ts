// Backup in a folder. An object gets its name once it is complete and flushed, so an interrupted
// write leaves at most a temporary file, which readers ignore.

import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { SvcError } from "../../base/errors.js";
import type { ObjectStore, StoredObject } from "./object-store.js";

const TEMPORARY = ".new";

export class FolderStore implements ObjectStore {
  readonly uri: string;

  constructor(folder: string) {
    this.uri = folder;
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    await this.#write(name, content, async (temporary, file) => {
      await rename(temporary, file);
      return true;
    });
  }

  putNew(name: string, content: Uint8Array): Promise<boolean> {
    return this.#write(name, content, async (temporary, file) => {
      try {
        await link(temporary, file);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  async has(name: string): Promise<boolean> {
    try {
      await stat(join(this.uri, name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw unusable(this.uri, error);
    }
  }

  async get(name: string, maxBytes: number): Promise<Buffer | null> {
    const file = join(this.uri, name);
    try {
      const { size } = await stat(file);
      if (size > maxBytes) throw new SvcError("SVC3422", `${file} has ${size} bytes`);
      return await readFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw unusable(this.uri, error);
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    const folder = join(this.uri, prefix);
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw unusable(this.uri, error);
    });
    for (const entry of entries) {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${name}/`);
      else yield { name, modifiedAt: (await stat(join(this.uri, name))).mtimeMs };
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.uri, name), { force: true });
  }

  async #write(
    name: string,
    content: Uint8Array,
    install: (temporary: string, file: string) => Promise<boolean>,
  ): Promise<boolean> {
    const file = join(this.uri, name);
    const temporary = `${file}.${randomUUID()}${TEMPORARY}`;
    try {
      // Only the owner may read backups, which contain the data of all graphs.
      mkdirDurable(dirname(file), 0o700);
      const handle = await open(temporary, "wx", 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      const isWritten = await install(temporary, file);
      fsyncDirectory(dirname(file));
      return isWritten;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw unusable(this.uri, error);
    }
  }
}

function unusable(uri: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  return new SvcError("SVC3422", `${uri}: ${(error as Error).message}`, { cause: error });
}
