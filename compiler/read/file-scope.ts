// State shared by the functions that find plugin declarations in one file.

import { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";

/**
 * Export names of a module by declaration, at least one each. `default` is listed only if there is
 * no other name.
 */
export type ExportNames = ReadonlyMap<ts.Declaration, readonly string[]>;

export interface FileScope {
  readonly context: ReadContext;
  readonly sourceFile: ts.SourceFile;
  readonly exports: ExportNames;
  /** `@plugin` tags that a finder has handled. */
  readonly seen: TagPositions;
}

/** Offsets of the `@` of tags and decorators of one file that a finder has handled. */
export class TagPositions {
  readonly #sourceFile: ts.SourceFile;
  readonly #offsets = new Set<number>();

  constructor(sourceFile: ts.SourceFile) {
    this.#sourceFile = sourceFile;
  }

  add(tag: ts.Node): void {
    if (tag.getSourceFile() === this.#sourceFile) this.#offsets.add(tag.getStart());
  }

  /** Adds all tags in the doc comment of a declaration. */
  addDoc(declaration: ts.Node): void {
    for (const tag of ts.getJSDocTags(declaration)) this.add(tag);
  }

  has(offset: number): boolean {
    return this.#offsets.has(offset);
  }
}
