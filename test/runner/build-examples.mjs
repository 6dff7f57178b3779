// Builds the projects of examples/ that are not current, before server suites serve them.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildProject } from "../../dist/compiler.js";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));

for (const name of readdirSync(EXAMPLES)) {
  const { ok, diagnostics } = await buildProject(`${EXAMPLES}${name}`);
  if (!ok) throw new Error(`${name}: ${JSON.stringify(diagnostics, null, 1)}`);
}
