// Records the file system lookups by which TypeScript resolves imports and packages that
// tsconfig.json extends, including those of missing files. A later build repeats them to detect
// changes.

import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ts } from "ts-morph";
import { hashContent } from "../../runtime/settings/manifest.js";

/** Kind of a lookup: existence of a file or folder, real path, text hash, names in a folder. */
type Question = "file" | "folder" | "real" | "text" | "names";

/** Results by kind of lookup and path. */
export type LookUps = ReadonlyMap<string, string>;

export class LookUpRecorder {
  readonly answers = new Map<string, string>();

  readonly note = (question: Question, path: string): void => {
    const key = `${question} ${path}`;
    if (!this.answers.has(key)) this.answers.set(key, lookUp(question, path));
  };
}

/** Returns a host that records the lookups of TypeScript. */
export function recordLookUps<H extends ts.ModuleResolutionHost>(
  host: H,
  { note }: LookUpRecorder,
): H {
  return {
    ...host,
    fileExists: (path: string) => {
      note("file", path);
      return host.fileExists(path);
    },
    directoryExists: (path: string) => {
      note("folder", path);
      return host.directoryExists!(path);
    },
    getDirectories: (path: string) => {
      note("names", path);
      return host.getDirectories!(path);
    },
    realpath: (path: string) => {
      note("real", path);
      return host.realpath!(path);
    },
    readFile: (path: string) => {
      note("text", path);
      return host.readFile(path);
    },
  };
}

export function areLookUpsCurrent(lookUps: LookUps): boolean {
  for (const [key, known] of lookUps) {
    const space = key.indexOf(" ");
    if (lookUp(key.slice(0, space) as Question, key.slice(space + 1)) !== known) return false;
  }
  return true;
}

/** Returns the hash of a source file as TypeScript reads it; "" if it cannot be read. */
export function hashSource(path: string): string {
  try {
    return hashContent(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch {
    return "";
  }
}

function lookUp(question: Question, path: string): string {
  try {
    switch (question) {
      case "file":
        return statSync(path, { throwIfNoEntry: false })?.isFile() ? "yes" : "no";
      case "folder":
        return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? "yes" : "no";
      case "real":
        return realpathSync.native(path);
      case "text":
        return hashContent(readFileSync(path));
      default:
        return readdirSync(path).sort().join("/");
    }
  } catch {
    return "no";
  }
}
