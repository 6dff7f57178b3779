// The root folder of a process: which graphs are stored in it, where each lies, and the right to
// write there, which one process has at a time.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { log } from "../../base/log.js";
import { isRootLocked, lockRoot, type RootLock } from "../snapshot/root-lock.js";
import {
  eraseStoredGraph,
  graphFolder,
  listStoredGraphs,
  removeIncompleteSaves,
} from "../snapshot/stored-graphs.js";
import type { OpenGraphRequest } from "./graph-manager.js";
import type { GraphRequest } from "./graph-source.js";

/** Where graphs are configured to lie, and which may not be changed, by name. */
type ConfiguredGraphs = {
  readonly [name: string]: { readonly path: string | null; readonly readonly: boolean };
};

export class GraphRoot {
  readonly #folder: string;
  readonly #configured: ConfiguredGraphs;
  /** Folders, below the root, of the graphs that are stored or have been open. */
  readonly #paths: Map<string, string>;
  readonly #leave = () => this.leave();
  #lock: RootLock | null = null;

  /** @throws DataError another process uses the root, and there are graphs to be had */
  constructor(folder: string, configured: ConfiguredGraphs) {
    this.#folder = folder;
    this.#configured = configured;
    const stored = listStoredGraphs(folder);
    this.#paths = new Map(stored.map(({ name, path }) => [name, path]));
    if (this.expected().length > 0 || this.isLogged || isRootLocked(folder)) this.take();
    process.once("exit", this.#leave);
  }

  /** True if there is a log of changes, which may know of more graphs. */
  get isLogged(): boolean {
    return existsSync(join(this.#folder, LOG_FOLDER));
  }

  /** Names of the graphs that should be there: stored, configured, or open before. */
  expected(): string[] {
    return [...new Set([...Object.keys(this.#configured), ...this.#paths.keys()])];
  }

  isExpected(name: string): boolean {
    return this.#paths.has(name) || Object.hasOwn(this.#configured, name);
  }

  /** How a graph is to be kept. Takes the root: before that nobody knows where links lead. */
  keepRequest({ name, path: asked, isLocal }: GraphRequest, isReadonly: boolean): OpenGraphRequest {
    const isStorable = this.take();
    const path = this.pathOf(name, asked);
    const folder = this.folderOf(path);
    const isFixed = isReadonly || (this.#configured[name]?.readonly ?? false);
    return { name, path, folder, isStorable, isLocal, isReadonly: isFixed };
  }

  /**
   * Folder of a graph, below the root.
   * @param path what was asked for, null for nothing
   */
  pathOf(name: string, path: string | null = null): string {
    const configured = Object.hasOwn(this.#configured, name) ? this.#configured[name]! : null;
    return path ?? configured?.path ?? this.#paths.get(name) ?? name;
  }

  /**
   * Absolute folder of a path below the root.
   * @throws DataError for a path that leads out of it
   */
  folderOf(path: string): string {
    return graphFolder(this.#folder, path);
  }

  /** A graph was opened there. */
  opened(name: string, path: string): void {
    this.#paths.set(name, path);
  }

  /** Removes what is stored of a graph. */
  erase(name: string, folder: string): void {
    this.#paths.delete(name);
    eraseStoredGraph(folder);
  }

  /**
   * Takes the right to write when it is first needed; the root is made where it is missing.
   * @returns false where nothing can be written: changes of graphs are then in memory only
   * @throws DataError another process uses the root
   */
  take(): boolean {
    if (this.#lock !== null) return true;
    try {
      this.#lock = lockRoot(this.#folder);
      removeIncompleteSaves(this.#folder, log);
      return true;
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      if (!["EACCES", "EPERM", "EROFS"].includes(cause?.code ?? "")) throw error;
      log(`changes of graphs are not stored: ${(error as Error).message}`, "error");
      return false;
    }
  }

  /** Lets others use the root. */
  leave(): void {
    this.#lock?.release();
    process.off("exit", this.#leave);
  }
}
