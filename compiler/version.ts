// The version in a build's manifest. A build id next to the bundle distinguishes builds of one
// version during development of this package.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageInfo, packageRoot } from "../runtime/base/package-info.js";

/** Such as `1.2.0+3f9c0b21`; `+source` when run without a bundle. */
export function compilerVersion(): string {
  return `${packageInfo().version}+${buildId()}`;
}

function buildId(): string {
  try {
    return readFileSync(join(packageRoot(), "dist", "build-id"), "utf8").trim();
  } catch {
    return "source";
  }
}
