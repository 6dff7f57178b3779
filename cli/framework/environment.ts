// Environment variables of a project: the environment overrides the project's `.env` file.

import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";

const FILE = ".env";

/**
 * @param folder of the project
 * @throws SvcError SVC3172 if the file exists but cannot be read
 */
export function loadEnvironment(folder: string): void {
  try {
    process.loadEnvFile(join(folder, FILE));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return;
    throw new SvcError("SVC3172", `${join(folder, FILE)}: ${message}`, { cause: error });
  }
}
