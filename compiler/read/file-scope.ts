// State shared by the finders of one file.

import { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";

/**
 * Export names of a module by declaration, at least one each. `default` is included only without
 * another name.
 */
export type ExportNames = ReadonlyMap<ts.Declaration, readonly string[]>;

export interface FileScope {
  readonly context: ReadContext;
  readonly sourceFile: ts.SourceFile;
  readonly exports: ExportNames;
  /** The `@plugin` tags that a finder has dealt with. */
  readonly seen: TagPositions;
}

/** Offsets of the `@` of the tags and decorators that a finder has dealt with. */
export class TagPositions {
  readonly #offsets = new Set<number>();

  add(tag: ts.Node): void {
    this.#offsets.add(tag.getStart());
  }

  /** All tags in the documentation comment of a declaration. */
  addDoc(declaration: ts.Node): void {
    for (const tag of ts.getJSDocTags(declaration)) this.add(tag);
  }

  has(offset: number): boolean {
    return this.#offsets.has(offset);
  }
}
