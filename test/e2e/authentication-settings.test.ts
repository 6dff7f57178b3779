// Handlers that cannot be loaded end the start.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGIN = `import type { PluginRequest } from "svc-server";

/** @plugin */
export function one(request: PluginRequest): number {
  return 1;
}
`;

const start = suite("handlers that cannot be loaded");

for (const [label, source] of [
  ["no function", "export const auth = 1;\n"],
  ["code that throws", 'export const auth = () => null;\nthrow new Error("no");\n'],
] as const) {
  start(`end the start: ${label}`, async () => {
    const project = new TemporaryProject({
      "plugins/p.ts": PLUGIN,
      "src/auth.ts": source,
      "svc.config.ts": 'export default { auth: "src/auth.ts#auth" };\n',
    });
    await buildProject(project.folder);
    const failure = await serve(project.folder).then(() => "", String);
    project.remove();
    assert.match(failure, "SVC2208");
  });
}
start.run();
