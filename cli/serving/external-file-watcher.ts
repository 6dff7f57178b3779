// Files that a build reads from outside of its folder, such as those of other packages of the
// workspace: which folders hold them is known only once it was built.

import { dirname, join, relative } from "node:path";
import { watchFolder } from "./watch-folder.js";

/**
 * Watches the files of a build that lie outside of its folder, by the folders that hold them; each
 * call adds those that are new.
 */
export class ExternalFileWatcher {
  readonly #base: string;
  readonly #onChange: (files: string[]) => void;
  readonly #unwatch = new Map<string, () => void>();

  constructor(base: string, onChange: (files: string[]) => void) {
    this.#base = base;
    this.#onChange = onChange;
  }

  /** @param files relative to the base */
  follow(files: readonly string[]): void {
    for (const file of files) {
      const folder = dirname(join(this.#base, file));
      const isMeant = file.startsWith("../") && !file.includes("node_modules/");
      if (isMeant && !this.#unwatch.has(folder)) this.#unwatch.set(folder, this.#watch(folder));
    }
  }

  /** That folder alone: it may well be one around the project. */
  #watch(folder: string): () => void {
    const toBase = (file: string) => relative(this.#base, join(folder, file)).replaceAll("\\", "/");
    return watchFolder(folder, (files) => this.#onChange(files.map(toBase)), false);
  }

  close(): void {
    for (const end of this.#unwatch.values()) end();
  }
}
