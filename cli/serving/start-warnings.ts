// Warnings about conditions that do not prevent a start.

import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { packageInfo, packageRoot } from "../../runtime/base/package-info.js";
import { unknownVariableWarnings } from "./unknown-variables.js";

/** @param folder of the project */
export function writeStartWarnings(folder: string): void {
  const warnings = [...unknownVariableWarnings(process.env), ...secondCopyWarnings(folder)];
  for (const text of warnings) process.stderr.write(`svc: warning: ${text}\n`);
}

/**
 * Returns a warning if the project imports another copy of this package than the one that serves.
 * Errors and responses are recognized across copies; graphs and requests are not shared.
 */
function secondCopyWarnings(folder: string): string[] {
  const { name, version } = packageInfo();
  let other: string;
  try {
    const require = createRequire(join(resolve(folder), "package.json"));
    other = realpathSync(dirname(require.resolve(`${name}/package.json`)));
  } catch {
    // The build reports missing packages.
    return [];
  }
  const own = realpathSync(packageRoot());
  if (other === own) return [];
  return [
    `two copies of ${name} are in use: plugins import ${other}, and ${own} (${version}) serves ` +
      "them; use `npx svc`, or the script of the project",
  ];
}
