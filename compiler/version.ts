// The version that a build is stamped with. A build id beside the bundle tells two builds of one
// version apart, so that work on this package never meets files of an older compiler.

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
