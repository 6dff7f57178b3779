// Front end of the compiler: reads TypeScript sources into plugin records. Only this folder imports
// ts-morph. One program stays open. The reading of a file depends only on that file and its
// imports, so `svc dev` reads only files that a change affects.

import { existsSync } from "node:fs";
import type { ts } from "ts-morph";
import type { DeclaredPlugin } from "../../runtime/settings/plugin-rules.js";
import { TSCONFIG_FILE } from "../tsconfig.js";
import { findConfigured } from "./configured-plugin.js";
import { importedModules, readDependencies } from "./dependencies.js";
import { describeProgram } from "./describe-program.js";
import { reportExpressions } from "./expressions.js";
import { type FileReading, joinReadings, type ReadResult } from "./file-reading.js";
import { findDeclarations } from "./find-declarations.js";
import { globalTexts, ImportGraph } from "./import-graph.js";
import { collectRead } from "./limit-usage.js";
import { reportMisplaced } from "./limited-shape.js";
import type { LookUps } from "./look-ups.js";
import { isPackageMissing } from "./missing-package.js";
import { readModuleState } from "./module-state.js";
import type { NamedShape } from "./named-type.js";
import { absolutePath, relativePath } from "./paths.js";
import { prepareFiles } from "./prepare-files.js";
import { ReadContext } from "./read-context.js";
import { readPlugin, type ShapeReaders } from "./read-plugin.js";
import { ReaderProgram } from "./reader-program.js";
import { ShapeReader } from "./shape-reader.js";
import type { StoredFile } from "./stored-readings.js";
import { reportStrayLimits, statedLimits } from "./stray-limits.js";
import { readSyntaxErrors } from "./syntax-errors.js";

/** The results for each file of a program, in the parts that a store needs. */
export interface ReadParts {
  /** Their readings are null here, see `readings`. */
  readonly files: ReadonlyMap<string, StoredFile>;
  readonly readings: ReadonlyMap<string, FileReading>;
  /** Places of the limits that were read for each file. */
  readonly reads: ReadonlyMap<string, readonly string[]>;
  readonly named: ReadonlyMap<string, NamedShape>;
  readonly doubtful: ReadonlySet<string>;
  /** Whether global declarations were restored. */
  readonly withTypes: boolean;
  readonly lookUps: LookUps;
}

export class PluginReader {
  readonly #projectDir: string;
  readonly #tsconfig: string;
  #program: ReaderProgram;
  readonly #readings = new Map<string, FileReading>();
  readonly #named = new Map<string, NamedShape>();
  readonly #configured: readonly DeclaredPlugin[];
  readonly #hooks: readonly string[];
  readonly #hookFiles: readonly string[];
  /** Hook modules that only a tag names: `@before src/guards.ts#limit`. */
  #namedHooks: readonly string[] = [];
  #globals: ReadonlyMap<string, string> = new Map();
  #files: readonly string[] = [];
  /** Places of the limits that were read for each file. */
  readonly #reads = new Map<string, readonly string[]>();
  /** Files that were doubtful before global declarations were restored. */
  readonly #doubtful = new Set<string>();
  #context: ReadContext | null = null;
  /** Files that the program was opened with. */
  #roots: readonly string[] = [];
  /** The project's other modules that plugins import. */
  #modules: readonly string[] = [];

  /**
   * @param projectDir folder of the project
   * @param files plugin files, absolute or relative to that folder
   * @param configured plugins that the configuration declares; their modules are among `files`
   * @param tsconfig path of tsconfig.json, relative to that folder
   * @param hooks hooks of all plugins, as `module#export`
   */
  constructor(
    projectDir: string,
    files: readonly string[],
    configured: readonly DeclaredPlugin[] = [],
    tsconfig = TSCONFIG_FILE,
    hooks: readonly string[] = [],
  ) {
    this.#tsconfig = tsconfig;
    this.#hooks = hooks;
    this.#hookFiles = hooks.map((hook) => absolutePath(projectDir, hook.split("#", 1)[0]!));
    this.#projectDir = projectDir;
    this.#configured = configured;
    this.#program = new ReaderProgram(projectDir, tsconfig);
    this.#setFiles(files);
  }

  /** Reads all files that have not been read; at first these are all. */
  read(): ReadResult {
    this.#readProgram(this.#files, this.#hookFiles);
    const context = this.#context!;
    const result = this.#result(context.program, context);
    const hasDiagnostics = [...this.#readings.values()].some(
      (reading) => reading.diagnostics.length > 0,
    );
    const isDoubtful = context.metAny || hasDiagnostics;
    if (!isDoubtful || !this.#program.restoreTypes()) return result;
    this.#forget();
    return this.read();
  }

  /**
   * Reads some of the files.
   *
   * @param common further files that the program contains
   * @param withTypes whether a global declaration is known to matter, see `reader-program.ts`
   */
  readSome(files: readonly string[], common: readonly string[], withTypes: boolean): ReadParts {
    if (withTypes) this.#program.restoreTypes();
    this.#readProgram(files, common);
    const hasDiagnostics = [...this.#readings.values()].some(
      ({ diagnostics }) => diagnostics.length > 0,
    );
    if ((hasDiagnostics || this.#context!.metAny) && this.#program.restoreTypes()) {
      this.#forget();
      this.#readProgram(files, common);
    }
    return this.parts();
  }

  /** Returns the results of the last reading. */
  parts(): ReadParts {
    const plugins = new Set(this.#files);
    const ownFiles = new Set([...this.#files, ...this.#modules]);
    return {
      files: describeProgram(this.#context!, this.#roots, plugins, ownFiles, (path) => {
        const reading = this.#readings.get(path);
        return reading ? this.#listHooks(reading) : [];
      }),
      readings: this.#readings,
      reads: this.#reads,
      named: this.#named,
      doubtful: this.#doubtful,
      withTypes: this.#program.hasRestored,
      lookUps: this.#program.lookUps,
    };
  }

  /** @param hasMetAny whether a type was read as any before modules were added to the program */
  #readProgram(files: readonly string[], common: readonly string[], hasMetAny = false): void {
    this.#roots = [...files, ...common];
    const program = this.#program.open([...this.#roots, ...this.#namedHooks]);
    this.#followGlobals(program);
    prepareFiles(program);
    const context = new ReadContext(this.#projectDir, program, program.getTypeChecker());
    this.#context = context;
    context.metAny = hasMetAny;
    context.hooks = this.#hooks;
    const readers = {
      input: new ShapeReader(context, "input", this.#named),
      output: new ShapeReader(context, "output", this.#named),
    };
    const pluginFiles = new Set(this.#files);
    for (const file of files) {
      const sourceFile = pluginFiles.has(file) ? program.getSourceFile(file) : undefined;
      if (sourceFile === undefined || this.#readings.has(file)) continue;
      this.#readAndStore(file, () => this.#readFile(readers, sourceFile, pluginFiles));
    }
    if (this.#addNamedHooks(program)) {
      this.#readProgram(files, common, context.metAny);
      return;
    }
    this.#readModules(context, pluginFiles);
  }

  /** Reads a file and stores the reading. */
  #readAndStore(file: string, read: () => FileReading): void {
    const context = this.#context!;
    const hadAny = context.metAny;
    context.metAny = false;
    const [reading, reads] = collectRead(read);
    this.#readings.set(file, reading);
    this.#reads.set(file, reads);
    const isDoubtful = context.metAny || reading.diagnostics.length > 0;
    if (isDoubtful && !this.#program.hasRestored) this.#doubtful.add(file);
    context.metAny ||= hadAny;
  }

  /**
   * Reads changed files and all files that import them.
   *
   * @param changed files that were written, added or removed
   * @param files the plugin files from now on
   */
  refresh(changed: readonly string[], files: readonly string[]): ReadResult {
    const paths = changed.map((file) => absolutePath(this.#projectDir, file));
    const program = this.#program.last;
    const imports = new ImportGraph(program);
    if (paths.some((path) => changesResolution(program, imports, path))) {
      this.#startOver();
    } else {
      const touched = imports.findImporters(paths);
      const isTouched = (path: string) => touched.has(path) || paths.includes(path);
      const isShared = [...touched, ...paths].some((path) => this.#reportsElsewhere(path));
      if (isShared || this.#hookFiles.some(isTouched)) this.#forget();
      for (const path of touched) this.#readings.delete(path);
      for (const [file, reading] of this.#readings) {
        const isMissing = reading.diagnostics.some(({ code }) => code === "SVC1144");
        if (isMissing || this.#listHooks(reading).some(isTouched)) this.#readings.delete(file);
      }
      for (const path of paths) {
        this.#readings.delete(path);
        this.#program.forget(path);
      }
    }
    this.#setFiles(files);
    return this.read();
  }

  /**
   * Returns whether a file has a diagnostic about a shared type. Other files that use the type do
   * not repeat it, so they must be read again, too.
   */
  #reportsElsewhere(path: string): boolean {
    const { diagnostics = [] } = this.#readings.get(path) ?? {};
    const ownPath = relativePath(this.#projectDir, path);
    return diagnostics.some(({ position }) => position.file !== ownPath);
  }

  /** Discards all readings if global declarations have changed, because they affect every file. */
  #followGlobals(program: ts.Program): void {
    const globals = globalTexts(program);
    const isSame =
      globals.size === this.#globals.size &&
      [...globals].every(([file, text]) => this.#globals.get(file) === text);
    if (!isSame) this.#forget();
    this.#globals = globals;
  }

  /** Updates the hook modules; returns whether the program must be opened again with them. */
  #addNamedHooks(program: ts.Program): boolean {
    const isMissing = (path: string) => program.getSourceFile(path) === undefined;
    const known = this.#namedHooks;
    const named = new Set<string>();
    for (const [file, reading] of this.#readings) {
      const hooks = this.#listHooks(reading);
      for (const path of hooks) if (isMissing(path) || known.includes(path)) named.add(path);
      if (hooks.some((path) => isMissing(path) && !known.includes(path))) {
        this.#readings.delete(file);
      }
    }
    this.#namedHooks = [...named].sort();
    return this.#namedHooks.join("\n") !== known.join("\n");
  }

  #listHooks({ plugins }: FileReading): readonly string[] {
    const hooks = plugins.flatMap(({ before }) => before);
    return hooks.map(({ module }) => absolutePath(this.#projectDir, module));
  }

  #startOver(): void {
    this.#program = new ReaderProgram(this.#projectDir, this.#tsconfig);
    this.#forget();
    this.#files = [];
  }

  #forget(): void {
    this.#readings.clear();
    this.#named.clear();
  }

  #setFiles(files: readonly string[]): void {
    const paths = files.map((file) => absolutePath(this.#projectDir, file)).sort();
    const current = new Set(paths);
    for (const path of this.#files) {
      if (current.has(path)) continue;
      this.#readings.delete(path);
      this.#program.forget(path);
    }
    const before = new Set(this.#files);
    for (const path of paths) {
      // A module that a plugin imports is parsed, but not read as a plugin file.
      if (!before.has(path)) this.#readings.delete(path);
    }
    this.#files = paths;
  }

  /** Reads the expressions in modules that plugins import, because queries may be built there. */
  #readModules(context: ReadContext, pluginFiles: ReadonlySet<string>): void {
    this.#modules = importedModules(context, pluginFiles).map((sourceFile) => {
      const { fileName } = sourceFile;
      if (!this.#readings.has(fileName)) {
        this.#readAndStore(fileName, () => {
          reportExpressions(context, sourceFile);
          reportStrayLimits(context, sourceFile);
          return { plugins: [], moduleState: [], diagnostics: context.takeDiagnostics() };
        });
      }
      return fileName;
    });
  }

  #readFile(
    readers: ShapeReaders,
    sourceFile: ts.SourceFile,
    pluginFiles: ReadonlySet<string>,
  ): FileReading {
    const { context } = readers.input;
    const broken = readSyntaxErrors(context, sourceFile);
    if (broken.length > 0) return { plugins: [], moduleState: [], diagnostics: broken };
    if (isPackageMissing(context, sourceFile)) {
      return { plugins: [], moduleState: [], diagnostics: context.takeDiagnostics() };
    }
    const module = context.path(sourceFile);
    const declarations = findDeclarations(context, sourceFile, pluginFiles);
    for (const configured of this.#configured) {
      if (configured.module !== module) continue;
      const declaration = findConfigured(context, sourceFile, configured);
      if (declaration) declarations.push(declaration);
    }
    const plugins = declarations.map((declaration) => readPlugin(readers, declaration, module));
    const moduleState = plugins.length > 0 ? readModuleState(context, sourceFile) : [];
    reportExpressions(context, sourceFile);
    reportStrayLimits(context, sourceFile);
    for (const tag of context.limits.takeMisplaced()) reportMisplaced(context, tag);
    return { plugins, moduleState, diagnostics: context.takeDiagnostics() };
  }

  #result(program: ts.Program, context: ReadContext): ReadResult {
    const files = [...this.#files, ...this.#modules];
    const readings = files.flatMap((file) => this.#readings.get(file) ?? []);
    const stated = files.flatMap((file) => {
      const sourceFile = program.getSourceFile(file);
      return sourceFile ? statedLimits(context, sourceFile) : [];
    });
    const reads = files.map((file) => this.#reads.get(file) ?? []);
    return {
      ...joinReadings(readings, this.#named, { stated, reads }),
      dependencies: readDependencies(this.#projectDir, program),
    };
  }
}

/** Returns whether imports resolve differently now; the checker caches earlier resolutions. */
function changesResolution(program: ts.Program, imports: ImportGraph, path: string): boolean {
  if (!existsSync(path)) return imports.findImporters([path]).size > 0;
  return imports.hasUnresolved && !program.getSourceFile(path);
}
