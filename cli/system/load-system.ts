// Loads the system that a command works on, from its descriptor file.

import { existsSync, statSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { findDuplicateKey } from "../../runtime/base/duplicate-key.js";
import { SvcError } from "../../runtime/base/errors.js";
import { readText } from "../../runtime/base/read-text.js";
import { hashFile, readManifest, SYSTEM_OUTPUT } from "../../runtime/settings/manifest.js";
import { readDescriptor } from "../../runtime/system/read-descriptor.js";
import type { System } from "../../runtime/system/system.js";
import {
  isSystemProgram,
  SYSTEM_DOCUMENTS,
  SYSTEM_PROGRAMS,
} from "../../runtime/system/system-files.js";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * @param folder of the project
 * @param configured file named by the configuration, relative to the project
 * @param requested file named by the user
 * @throws SvcError SVC3110 if it cannot be read, SVC2700 if it is invalid
 */
export function loadSystem(
  folder: string,
  configured: string | null,
  requested?: string | null,
): System {
  const file = typeof requested !== "string" ? defaultFile(folder, configured) : resolve(requested);
  try {
    return readDescriptor(readJson(file));
  } catch (error) {
    if (error instanceof SvcError && error.code === "SVC2700") {
      throw new SvcError(error.code, `${file} is not valid\n  ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function defaultFile(folder: string, configured: string | null): string {
  const names = configured === null ? [...SYSTEM_PROGRAMS, ...SYSTEM_DOCUMENTS] : [configured];
  const existing = names.find((name) => existsSync(join(folder, name)));
  if (existing !== undefined && isSystemProgram(existing)) return builtFile(folder, existing);
  if (existing !== undefined) return join(folder, existing);
  // Standalone folders contain only the build.
  const built = join(folder, BUILD_FOLDER, SYSTEM_OUTPUT);
  if (existsSync(built)) return built;
  throw new SvcError("SVC3110", `${folder} contains none of ${names.join(", ")}`);
}

/** Returns the descriptor stored in the build; warns if the program has changed since. */
function builtFile(folder: string, program: string): string {
  const manifest = readManifest(folder);
  if (manifest?.outputs[SYSTEM_OUTPUT] === undefined) {
    throw new SvcError("SVC3110", `${join(folder, program)} is a program: run \`svc build\` first`);
  }
  if (manifest.inputs[posix.normalize(program)] !== hashFile(join(folder, program))) {
    const text = `${program} changed since \`svc build\`; using the built system`;
    process.stderr.write(`svc: warning: ${text}\n`);
  }
  return join(folder, BUILD_FOLDER, SYSTEM_OUTPUT);
}

function readJson(file: string): unknown {
  if (isSystemProgram(file)) {
    throw new SvcError("SVC3110", `${file} is a program: only \`svc build\` runs it`);
  }
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) throw new Error(`${size} bytes exceed the maximum size of a descriptor`);
    const text = readText(file);
    const value: unknown = JSON.parse(text);
    const duplicate = findDuplicateKey(text);
    if (duplicate !== null) throw new Error(`an object has two keys ${JSON.stringify(duplicate)}`);
    return value;
  } catch (error) {
    throw new SvcError("SVC3110", `${file}: ${(error as Error).message}`, { cause: error });
  }
}
