// Loads `jose`, an optional peer: servers without JSON Web Tokens do not need it.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";

export type Jose = typeof import("jose");

/**
 * @param projectDir folder to resolve the package from, if svc itself does not find it
 * @throws SvcError SVC2211
 */
export async function loadJose(projectDir: string, ownModule = import.meta.url): Promise<Jose> {
  let cause: unknown;
  for (const base of [ownModule, join(projectDir, "package.json")]) {
    try {
      const path = createRequire(base).resolve("jose");
      return (await import(pathToFileURL(path).href)) as Jose;
    } catch (error) {
      cause = error;
    }
  }
  throw new SvcError("SVC2211", "jwt requires the package `jose`", { cause });
}
