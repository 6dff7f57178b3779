// The system that a command works on, from the file that holds its descriptor.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { readDescriptor } from "../../runtime/system/read-descriptor.js";
import type { System } from "../../runtime/system/system.js";

/** Where nobody names one, in order of preference. */
const USUAL = ["svc.system.json", "svc.cf"];
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * @param folder of the project
 * @param configured what its configuration names, relative to it
 * @param asked file that the user names
 * @throws SvcError SVC3110 when it cannot be read, SVC2700 when it is not valid
 */
export function loadSystem(
  folder: string,
  configured: string | null,
  asked?: string | null,
): System {
  const file = typeof asked !== "string" ? usualFile(folder, configured) : resolve(asked);
  try {
    return readDescriptor(readJson(file));
  } catch (error) {
    if (error instanceof SvcError && error.code === "SVC2700") {
      throw new SvcError(error.code, `${file} is not valid\n  ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function usualFile(folder: string, configured: string | null): string {
  const names = configured === null ? USUAL : [configured];
  const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new SvcError("SVC3110", `${folder} has none of ${names.join(", ")}`);
}

function readJson(file: string): unknown {
  if (/\.[cm]?[jt]s$/.test(file)) {
    throw new SvcError("SVC3110", `${file} is a program, which \`svc build\` alone runs`);
  }
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new Error(`${size} bytes are more than any descriptor has`);
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new SvcError("SVC3110", `${file}: ${(error as Error).message}`, { cause: error });
  }
}
