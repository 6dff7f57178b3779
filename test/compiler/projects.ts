// Small projects in temporary folders, with enough declarations of the package to compile.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PACKAGE_TYPES } from "./project-fixture.js";

export class TemporaryProject {
  readonly dir = mkdtempSync(join(tmpdir(), "svc-project-"));

  constructor(files: Readonly<Record<string, string>>) {
    const types = { name: "svc-server", version: "0.0.0", types: "index.d.ts" };
    this.write("node_modules/svc-server/package.json", JSON.stringify(types));
    this.write("node_modules/svc-server/index.d.ts", PACKAGE_TYPES);
    this.write("package.json", '{ "name": "shop", "type": "module" }');
    for (const [name, text] of Object.entries(files)) {
      this.write(name, text);
    }
  }

  write(name: string, text: string): void {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}

/** Source of a plugin that takes two integers. */
export function addPlugin(body = "a + b", name = "add"): string {
  return `import type { int, PluginRequest } from "svc-server";

/** Adds. @plugin */
export function ${name}(_request: PluginRequest, a: int, b: int = 1): number {
  return ${body};
}
`;
}
