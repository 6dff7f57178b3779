// Reads the plugins of a project: only files that have changed since the last build, or that
// depend on one that has. TypeScript is loaded only if there is such a file.

import { createRequire } from "node:module";
import { join } from "node:path";
import { hashFile } from "../../runtime/settings/manifest.js";
import type { DeclaredPlugin } from "../../runtime/settings/plugin-rules.js";
import { hasErrors } from "../build-result.js";
import { compilerVersion } from "../version.js";
import { type FileReading, joinReadings, type ReadResult } from "./file-reading.js";
import { findLibraries } from "./find-libraries.js";
import { absolutePath, relativePath } from "./paths.js";
import type { PluginReader, ReadParts } from "./plugin-reader.js";
import { findReachable, planReading, type ReadingPlan } from "./reading-plan.js";
import { collectNamed, isStorable } from "./storable.js";
import { ReadingStore, type StoredFile, type StoredReadings } from "./stored-readings.js";

export interface ReaderOptions {
  /** Plugins that the configuration declares. */
  readonly configured: readonly DeclaredPlugin[];
  /** Path of tsconfig.json, relative to the project folder. */
  readonly tsconfig: string;
  /** Hooks of all plugins, as `module#export`. */
  readonly hooks: readonly string[];
  /** Files that affect the meaning of sources, relative to the project folder. */
  readonly described: readonly string[];
  /** Whether to read all files at first, so that their program is open when one changes. */
  readonly staysOpen: boolean;
}

interface Joined {
  readonly result: ReadResult;
  readonly stored: StoredReadings;
}

export class ProjectReader {
  readonly #projectDir: string;
  readonly #options: ReaderOptions;
  readonly #hookFiles: readonly string[];
  readonly #store: ReadingStore;
  #stored: StoredReadings | null;
  /** Reads all files; null as long as stored readings suffice. */
  #reader: PluginReader | null = null;

  constructor(projectDir: string, options: ReaderOptions) {
    this.#projectDir = projectDir;
    this.#options = options;
    const files = options.hooks.map((hook) => hook.split("#", 1)[0]!);
    this.#hookFiles = files.map((file) => absolutePath(projectDir, file));
    this.#store = new ReadingStore(projectDir, storeKey(projectDir, options));
    this.#stored = options.staysOpen ? null : this.#store.load();
  }

  /** @param files the plugin files, absolute or relative to the project */
  async read(files: readonly string[]): Promise<ReadResult> {
    const paths = files.map((file) => absolutePath(this.#projectDir, file)).sort();
    const plan = this.#stored && planReading(this.#stored, paths, this.#hookFiles);
    const known = plan && (await this.#readChanged(plan, paths));
    if (known) return known;
    this.#reader = await this.#open(paths);
    const result = this.#reader.read();
    this.#save(result, createStored(this.#reader.parts()));
    return result;
  }

  /**
   * Reads changed files and all files that import them.
   *
   * @param changed files that were written, added or removed
   * @param files the plugin files from now on
   */
  async refresh(changed: readonly string[], files: readonly string[]): Promise<ReadResult> {
    return this.#reader ? this.#reader.refresh(changed, files) : this.read(files);
  }

  async #readChanged(plan: ReadingPlan, files: readonly string[]): Promise<ReadResult | null> {
    const stored = this.#stored!;
    const isDoubtful = [...plan.kept.values()].some((file) => file.isDoubtful);
    const withTypes = stored.withTypes && isDoubtful;
    if (plan.toRead.length === 0) {
      if (withTypes !== stored.withTypes) return null;
      return this.#join(plan, files, null)?.result ?? null;
    }
    const reader = await this.#open(files);
    const parts = reader.readSome(plan.toRead, plan.common, withTypes);
    if (parts.withTypes !== stored.withTypes) return null;
    const joined = this.#join(plan, files, parts);
    if (joined === null) return null;
    this.#save(joined.result, joined.stored);
    return joined.result;
  }

  /**
   * Stores readings unless there are errors: only one of the files that use an invalid type reports
   * it, so a reading without diagnostics may be incomplete.
   */
  #save({ diagnostics }: ReadResult, stored: StoredReadings): void {
    if (hasErrors(diagnostics)) return;
    this.#stored = stored;
    this.#store.save(stored);
  }

  /** Joins stored and new readings; null if the stored readings turn out not to be usable. */
  #join(plan: ReadingPlan, files: readonly string[], parts: ReadParts | null): Joined | null {
    const before = this.#stored!;
    const found = new Map(plan.kept);
    for (const [path, file] of parts ? describedParts(parts) : []) {
      const kept = plan.kept.get(path);
      if (kept === undefined || (kept.isOwn && kept.reading === null)) found.set(path, file);
    }
    const wasGlobal = (path: string) => before.files.get(path)?.isGlobal === true;
    const implied = [...found].filter(([, { isImplied }]) => isImplied).map(([path]) => path);
    const reached = findReachable(found, [...files, ...this.#hookFiles, ...implied]);
    if ([...reached].some(([path, { isGlobal }]) => isGlobal && !wasGlobal(path))) return null;
    if ([...before.files].some(([path, { isGlobal }]) => isGlobal && !reached.has(path)))
      return null;
    const modules = [...reached].filter(([path, { isOwn }]) => isOwn && !files.includes(path));
    const ownFiles = [...files, ...modules.map(([path]) => path)];
    const readings = ownFiles.map(
      (path) => parts?.readings.get(path) ?? reached.get(path)?.reading ?? null,
    );
    if (!isComplete(readings)) return null;
    const named = new Map([...before.named, ...(parts?.named ?? [])]);
    const stated = ownFiles.flatMap((path) => reached.get(path)?.limits ?? []);
    const reads = ownFiles.map((path) => reached.get(path)?.reads ?? []);
    const joined = joinReadings(readings, named, { stated, reads });
    const inputs = [...reached].filter(([, { isInput }]) => isInput);
    const dependencies = inputs.map(([path]) => relativePath(this.#projectDir, path)).sort();
    const lookUps = new Map([...before.lookUps, ...(parts?.lookUps ?? [])]);
    return {
      result: { ...joined, dependencies },
      stored: { ...before, files: reached, lookUps, named: collectNamed(reached.values(), named) },
    };
  }

  async #open(files: readonly string[]): Promise<PluginReader> {
    const { PluginReader } = await import("./plugin-reader.js");
    const { configured, tsconfig, hooks } = this.#options;
    return new PluginReader(this.#projectDir, files, configured, tsconfig, hooks);
  }
}

/** Returns a key of everything that readings depend on besides source files and lookups. */
function storeKey(projectDir: string, options: ReaderOptions): string {
  const { described, configured, tsconfig, hooks } = options;
  const { resolve } = createRequire(import.meta.url);
  const libraries = findLibraries();
  const compilers = [
    createRequire(resolve("ts-morph")).resolve("@ts-morph/common/package.json"),
    join(libraries, "../package.json"),
  ];
  const hashes = described.map((file) => [file, hashFile(join(projectDir, file))]);
  return JSON.stringify([
    ...[compilerVersion(), process.version, projectDir, configured, tsconfig, hooks, hashes],
    ...[libraries, compilers.map(hashFile)],
  ]);
}

function createStored(parts: ReadParts): StoredReadings {
  const { withTypes, lookUps, named } = parts;
  const files = new Map(describedParts(parts));
  return { withTypes, lookUps, files, named: collectNamed(files.values(), named) };
}

/** Returns the files of a program, with the readings that may be stored. */
function describedParts(parts: ReadParts): [string, StoredFile][] {
  return [...parts.files].map(([path, file]) => {
    const reading = parts.readings.get(path);
    const stored = {
      ...file,
      reads: parts.reads.get(path) ?? [],
      isDoubtful: parts.doubtful.has(path),
      reading: reading && isStorable(reading, parts.named) ? reading : null,
    };
    return [path, stored];
  });
}

function isComplete(readings: readonly (FileReading | null)[]): readings is readonly FileReading[] {
  return readings.every((reading) => reading !== null);
}
