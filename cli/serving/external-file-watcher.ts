// Watches source files outside the project, such as those of workspace packages. Only a
// build reveals their folders.

import { dirname, join, relative } from "node:path";
import { watchFolder } from "./watch-folder.js";

/** Watches files outside the project by folder; each call adds new ones. */
export class ExternalFileWatcher {
  readonly #base: string;
  readonly #onChange: (files: string[]) => void;
  readonly #unwatch = new Map<string, () => void>();

  constructor(base: string, onChange: (files: string[]) => void) {
    this.#base = base;
    this.#onChange = onChange;
  }

  /** @param files paths relative to the base */
  follow(files: readonly string[]): void {
    for (const file of files) {
      const folder = dirname(join(this.#base, file));
      const isOwnSource = file.startsWith("../") && !file.includes("node_modules/");
      if (isOwnSource && !this.#unwatch.has(folder)) this.#unwatch.set(folder, this.#watch(folder));
    }
  }

  /** Not recursive: the folder may contain the project. */
  #watch(folder: string): () => void {
    const toBase = (file: string) => relative(this.#base, join(folder, file)).replaceAll("\\", "/");
    return watchFolder(folder, (files) => this.#onChange(files.map(toBase)), false);
  }

  close(): void {
    for (const end of this.#unwatch.values()) end();
  }
}
