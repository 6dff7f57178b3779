// Data folder of a process: the graphs stored in it, their locations, and the exclusive right to
// write.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { log } from "../../base/log.js";
import type { MemorySize } from "../memory/layout.js";
import type { OpenGraphRequest } from "./graph-manager.js";
import type { GraphRequest } from "./graph-source.js";
import { isRootLocked, lockRoot, type RootLock } from "./snapshot/root-lock.js";
import {
  eraseStoredGraph,
  graphFolder,
  listStoredGraphs,
  refuseIncompleteRestore,
  removeIncompleteSaves,
} from "./snapshot/stored-graphs.js";

/** Configured folders, read-only flags and sizes, by graph name. */
type ConfiguredGraphs = {
  readonly [name: string]: {
    readonly path: string | null;
    readonly readonly: boolean;
    readonly memory?: MemorySize | null;
    readonly isOfBackEnds?: boolean;
  };
};

export class GraphRoot {
  readonly #folder: string;
  readonly #configured: ConfiguredGraphs;
  /** Folders, relative to the data folder, of graphs that are stored or have been open. */
  readonly #paths: Map<string, string>;
  readonly #release = () => this.release();
  #lock: RootLock | null = null;

  /**
   * @throws DataError if another process uses the data folder, and it contains graphs; SvcError
   *   SVC3421
   */
  constructor(folder: string, configured: ConfiguredGraphs) {
    refuseIncompleteRestore(folder);
    this.#folder = folder;
    this.#configured = configured;
    const stored = listStoredGraphs(folder);
    this.#paths = new Map(stored.map(({ name, path }) => [name, path]));
    if (this.expected().length > 0 || this.isLogged || isRootLocked(folder)) this.acquire();
    process.once("exit", this.#release);
  }

  /** True if there is a transaction log, which may contain more graphs. */
  get isLogged(): boolean {
    return existsSync(join(this.#folder, LOG_FOLDER));
  }

  /** Returns the graphs that should exist: stored, configured, or opened before. */
  expected(): string[] {
    const configured = Object.entries(this.#configured).filter(
      ([, { isOfBackEnds }]) => !isOfBackEnds,
    );
    return [...new Set([...configured.map(([name]) => name), ...this.#paths.keys()])];
  }

  isExpected(name: string): boolean {
    return this.#paths.has(name) || Object.hasOwn(this.#configured, name);
  }

  /**
   * Returns the request to open a graph. Acquires the data folder first, so that no other process
   * changes symbolic links meanwhile.
   * @param isDurable if true, the graph is read-only where its changes could not be stored
   */
  openRequest(request: GraphRequest, isReadonly: boolean, isDurable: boolean): OpenGraphRequest {
    const { name, path: requestedPath, isLocal } = request;
    const isStorable = this.acquire();
    const path = this.pathOf(name, requestedPath);
    const folder = this.folderOf(path);
    const configured = Object.hasOwn(this.#configured, name) ? this.#configured[name] : undefined;
    const isLost = isDurable && !isStorable;
    const isFixed = isReadonly || (configured?.readonly ?? false);
    const size = configured?.memory ?? request.size;
    return { name, path, folder, isStorable, isLost, isLocal, isReadonly: isFixed, size };
  }

  /**
   * Returns the folder of a graph, below the data folder.
   * @param path requested folder, or null
   */
  pathOf(name: string, path: string | null = null): string {
    const configured = Object.hasOwn(this.#configured, name) ? this.#configured[name]! : null;
    return path ?? configured?.path ?? this.#paths.get(name) ?? name;
  }

  /**
   * Returns the absolute folder of a path below the data folder.
   * @throws DataError if the path leaves it
   */
  folderOf(path: string): string {
    return graphFolder(this.#folder, path);
  }

  /** Records the folder of an opened graph. */
  recordPath(name: string, path: string): void {
    this.#paths.set(name, path);
  }

  /** Removes the files of a graph. */
  erase(name: string, folder: string): void {
    this.#paths.delete(name);
    eraseStoredGraph(folder);
  }

  /**
   * Acquires the right to write when first needed, creating the data folder if missing.
   * @returns false if it is not writable: changes then stay in memory
   * @throws DataError if another process uses the data folder
   */
  acquire(): boolean {
    if (this.#lock !== null) return true;
    try {
      this.#lock = lockRoot(this.#folder);
      removeIncompleteSaves(this.#folder, log);
      return true;
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      if (!["EACCES", "EPERM", "EROFS"].includes(cause?.code ?? "")) throw error;
      const fix = 'restart with write access, or with `durability: "off"` to store nothing';
      log(`nothing is stored in the data folder: ${(error as Error).message}; ${fix}`, "error");
      return false;
    }
  }

  /** Releases the data folder. */
  release(): void {
    this.#lock?.release();
    process.off("exit", this.#release);
  }
}
