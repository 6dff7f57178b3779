// Resolves the project folder given to a command.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";

/** @throws SvcError SVC3005 if there is no such folder */
export function projectFolder(argument = "."): string {
  const folder = resolve(argument);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SvcError("SVC3005", `folder not found: ${argument}`);
  }
  return folder;
}
