// Builds the projects of examples/ and test/fixtures/ that are not current, before server suites
// serve them.

import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildProject } from "../../dist/compiler.js";

for (const parent of ["../../examples/", "../fixtures/"]) {
  const folder = fileURLToPath(new URL(parent, import.meta.url));
  for (const name of readdirSync(folder)) {
    if (!existsSync(`${folder}${name}/plugins`)) continue;
    const { ok, diagnostics } = await buildProject(`${folder}${name}`);
    if (!ok) throw new Error(`${name}: ${JSON.stringify(diagnostics, null, 1)}`);
  }
}
