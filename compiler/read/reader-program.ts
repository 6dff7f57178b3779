// The program that plugins are read from. Each file is parsed once, until it changes. TypeScript's
// own libraries and declarations of packages are parsed once in a process: @types/node takes half a
// second.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { ts } from "ts-morph";
import { findLibraries } from "./find-libraries.js";
import { LookUpRecorder, type LookUps, recordLookUps } from "./look-ups.js";
import { isPackageFolder } from "./package-symbols.js";
import { needsParents } from "./prepare-files.js";
import { readProgramOptions } from "./program-options.js";
import { resolveImports } from "./resolve-imports.js";

type Language = ts.ScriptTarget | ts.CreateSourceFileOptions;

/** Parsed files that do not change while a process runs. */
const unchanging = new Map<string, ts.SourceFile>();

export class ReaderProgram {
  #options: ts.CompilerOptions;
  /**
   * Global declarations (`"types": ["node"]`) dominate the time of reading: @types/node is 2 MB,
   * and few plugin signatures mention it. They are omitted at first. Types from them are then read
   * as any; if one of these affects the result, the declarations are restored.
   */
  #withheldTypes: string[];
  #hasRestored = false;
  readonly #lookUps = new LookUpRecorder();
  readonly #libraries = findLibraries();
  readonly #host: ts.CompilerHost;
  readonly #files = new Map<string, ts.SourceFile>();
  #program: ts.Program | undefined;

  /**
   * @param tsconfig path of tsconfig.json, relative to the project folder
   * @throws SvcError SVC1061 if that file cannot be parsed
   */
  constructor(projectDir: string, tsconfig: string) {
    const options = readProgramOptions(projectDir, tsconfig, this.#lookUps);
    this.#withheldTypes = options.types ?? [];
    this.#options = { ...options, types: [] };
    this.#host = {
      ...recordLookUps(ts.createCompilerHost(this.#options), this.#lookUps),
      getSourceFile: (path, language) => this.#sourceFile(path, language),
      getDefaultLibFileName: (options) => `${this.#libraries}/${ts.getDefaultLibFileName(options)}`,
      getDefaultLibLocation: () => this.#libraries,
      getCurrentDirectory: () => projectDir,
    };
  }

  /** Returns the program of these files and of all that they import. */
  open(files: readonly string[]): ts.Program {
    this.#program = ts.createProgram({
      rootNames: files,
      options: this.#options,
      host: { ...this.#host, ...resolveImports(this.#host, this.#options) },
      ...(this.#program && { oldProgram: this.#program }),
    });
    return this.#program;
  }

  /** The program that was opened last. */
  get last(): ts.Program {
    return this.#program ?? this.open([]);
  }

  /** Reads a file again when the next program is opened. */
  forget(path: string): void {
    this.#files.delete(path);
  }

  /** Restores global declarations; returns false if none are omitted. */
  restoreTypes(): boolean {
    if (this.#withheldTypes.length === 0) return false;
    this.#options = { ...this.#options, types: this.#withheldTypes };
    this.#withheldTypes = [];
    this.#hasRestored = true;
    this.#program = undefined;
    return true;
  }

  get hasRestored(): boolean {
    return this.#hasRestored;
  }

  /** Results of the file system lookups by which imports and options were resolved. */
  get lookUps(): LookUps {
    return this.#lookUps.answers;
  }

  #sourceFile(path: string, language: Language): ts.SourceFile | undefined {
    const known = this.#files.get(path);
    if (known) return known;
    const isLibrary = path.startsWith(this.#libraries);
    const sourceFile =
      isLibrary || isInstalled(path) ? parseOnce(path, language, isLibrary) : parse(path, language);
    if (sourceFile) this.#files.set(path, sourceFile);
    else this.#lookUps.note("file", path);
    return sourceFile;
  }
}

function isInstalled(path: string): boolean {
  return /\/node_modules\/.*\.d\.[cm]?ts$/.test(path) || isOwnDeclaration(path);
}

function isOwnDeclaration(path: string): boolean {
  return /\/dist\/types\/.*\.d\.ts$/.test(path) && isPackageFolder(dirname(path));
}

function parseOnce(
  path: string,
  language: Language,
  isLibrary: boolean,
): ts.SourceFile | undefined {
  const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  const key = JSON.stringify([path, size, mtimeMs, language]);
  const known = unchanging.get(key);
  if (known) return known;
  const options = typeof language === "object" ? language : { languageVersion: language };
  // Comments of libraries never describe plugins.
  const jsDocParsingMode = ts.JSDocParsingMode[isLibrary ? "ParseNone" : "ParseAll"];
  const sourceFile = parse(path, { ...options, jsDocParsingMode });
  if (sourceFile) unchanging.set(key, sourceFile);
  return sourceFile;
}

function parse(path: string, language: Language): ts.SourceFile | undefined {
  const text = ts.sys.readFile(path);
  return text === undefined
    ? undefined
    : ts.createSourceFile(path, text, language, needsParents(text));
}
