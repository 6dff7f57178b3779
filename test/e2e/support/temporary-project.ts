// A project in a folder outside of the repository, with this package linked.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../../../runtime/base/package-info.js";

/** A valid plugin file, and one that does not compile. */
export const GOOD_PLUGIN = `import type { int, PluginRequest } from "svc-server";

/** Doubles. @plugin */
export function double(_request: PluginRequest, n: int = 21): number {
  return n * 2;
}
`;
export const BAD_PLUGIN = GOOD_PLUGIN.replace("n * 2", '"no number"');

/** A `tsconfig.json` for plugins that use types of Node. */
export const NODE_TYPES = JSON.stringify({
  compilerOptions: { types: ["node"], typeRoots: [join(packageRoot(), "node_modules/@types")] },
});

export class TemporaryProject {
  readonly folder = mkdtempSync(join(tmpdir(), "svc-e2e-"));

  constructor(files: Readonly<Record<string, string>> = { "plugins/double.ts": GOOD_PLUGIN }) {
    this.write("package.json", '{ "name": "temporary", "type": "module" }\n');
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(packageRoot(), join(this.folder, "node_modules", "svc-server"), "dir");
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Removes a file, or the project. */
  remove(name = ""): void {
    rmSync(join(this.folder, name), { recursive: true });
  }
}
