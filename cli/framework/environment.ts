// Environment variables of a project: the environment overrides the project's `.env` file.

import { join } from "node:path";
import { parseEnv } from "node:util";
import { SvcError } from "../../runtime/base/errors.js";
import { readText } from "../../runtime/base/read-text.js";

const FILE = ".env";

/**
 * @param folder of the project
 * @throws SvcError SVC3172 if the file exists but cannot be read
 */
export function loadEnvironment(folder: string): void {
  for (const [name, value] of Object.entries(parseEnv(readVariables(join(folder, FILE))))) {
    process.env[name] ??= value;
  }
}

function readVariables(path: string): string {
  try {
    return readText(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "";
    throw new SvcError("SVC3172", `${path}: ${message}`, { cause: error });
  }
}
