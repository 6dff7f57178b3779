// Fills a data folder of `examples/shop` by its own program.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { plainNode } from "../../runner/node-command.mjs";

const PROGRAM = join(packageRoot(), "examples", "shop", "seed.mjs");

export function seedShop(root: string, ...options: readonly string[]): void {
  execFileSync(plainNode(), [PROGRAM, "--root", root, ...options], { stdio: "ignore" });
}
