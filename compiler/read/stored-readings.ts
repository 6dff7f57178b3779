// Stores the readings of a build for the next one, in a file below `node_modules`. A file that is
// corrupt or of another version is ignored.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashContent } from "../../runtime/settings/manifest.js";
import { removeStaleOutput } from "../stale-output.js";
import { replaceCacheFile } from "./cache-file.js";
import type { FileReading } from "./file-reading.js";
import type { LookUps } from "./look-ups.js";
import type { NamedShape } from "./named-type.js";
import type { StatedLimit } from "./unread-limits.js";

/** A source file of the program. Paths are absolute. */
export interface StoredFile {
  /** Hash of the text; for a plugin file, it ends with `+`. */
  readonly state: string;
  /** Files that its imports, references and tags lead to. */
  readonly imports: readonly string[];
  /** Whether the file may affect any other: a script, or a module with `declare global`. */
  readonly isGlobal: boolean;
  /** Whether the program contains the file without any import, such as a package of `types`. */
  readonly isImplied: boolean;
  /** Whether the file is an input of the build. */
  readonly isInput: boolean;
  /** Whether the file is a plugin file or another module of the project. */
  readonly isOwn: boolean;
  readonly limits: readonly StatedLimit[];
  /** Places of the limits that were read for this file. */
  readonly reads: readonly string[];
  /** Whether its types may depend on global declarations, which are omitted at first. */
  readonly isDoubtful: boolean;
  /** Null if the file has to be read again. */
  readonly reading: FileReading | null;
}

export interface StoredReadings {
  /** Whether global declarations were restored, see `reader-program.ts`. */
  readonly withTypes: boolean;
  readonly lookUps: LookUps;
  readonly files: ReadonlyMap<string, StoredFile>;
  readonly named: ReadonlyMap<string, NamedShape>;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum number of stores below one `node_modules`, one for each project. */
const MAX_STORES = 32;
const LEFTOVERS = /^readings-[0-9a-f]{16}\.json\.(\d+)$/;
const STORE = /^readings-[0-9a-f]{16}\.json$/;

/** The store of a project. */
export class ReadingStore {
  readonly #path: string | null;
  readonly #key: string;

  /**
   * @param projectDir its folder, absolute
   * @param key everything else that readings depend on
   */
  constructor(projectDir: string, key: string) {
    const packages = nearestPackages(projectDir);
    const name = `readings-${hashContent(projectDir).slice(0, 16)}.json`;
    this.#path = packages && join(packages, ".cache/svc-server", name);
    this.#key = hashContent(key);
  }

  load(): StoredReadings | null {
    if (this.#path === null) return null;
    try {
      if (statSync(this.#path).size > MAX_BYTES) return null;
      const text = readFileSync(this.#path, "utf8");
      const end = text.indexOf("\n");
      const body = text.slice(end + 1);
      if (text.slice(0, end) !== this.#head(body)) return null;
      const { withTypes, lookUps, files, named } = JSON.parse(body);
      return {
        withTypes,
        lookUps: new Map(lookUps),
        files: new Map(files),
        named: new Map(named),
      };
    } catch {
      // Missing, unreadable or truncated: it is written again.
      return null;
    }
  }

  save({ withTypes, lookUps, files, named }: StoredReadings): void {
    if (this.#path === null) return;
    const folder = dirname(this.#path);
    try {
      const body = JSON.stringify({
        withTypes,
        lookUps: [...lookUps],
        files: [...files],
        named: [...named],
      });
      const text = `${this.#head(body)}\n${body}`;
      if (Buffer.byteLength(text) > MAX_BYTES || !replaceCacheFile(this.#path, text)) return;
      removeStaleOutput(folder, LEFTOVERS);
      removeOldest(folder);
    } catch {
      // Other builds may change the folder, and old stores may belong to another user.
    }
  }

  #head(body: string): string {
    return `${this.#key} ${hashContent(body)}`;
  }
}

function nearestPackages(folder: string): string | null {
  const packages = join(folder, "node_modules");
  if (existsSync(packages)) return packages;
  const parent = dirname(folder);
  return parent === folder ? null : nearestPackages(parent);
}

/** Removes the oldest stores, which may belong to removed or renamed projects. */
function removeOldest(folder: string): void {
  const names = readdirSync(folder).filter((name) => STORE.test(name));
  if (names.length <= MAX_STORES) return;
  const age = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
  const byAge = names.map((name) => ({ name, time: age(name) ?? 0 }));
  byAge.sort((a, b) => b.time - a.time);
  for (const { name } of byAge.slice(MAX_STORES)) rmSync(join(folder, name), { force: true });
}
