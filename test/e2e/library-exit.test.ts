// Library programs that wait for another thread and have nothing else to do.
// limit: 60 s
// starts processes

import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("library programs that wait");

/** Exit code and output of a program. */
function run(program: string): [status: number | null, output: string] {
  const project = new TemporaryProject({ "program.mjs": program });
  const options = { cwd: project.folder, encoding: "utf8", timeout: 50_000 } as const;
  const { status, stdout, stderr } = spawnSync(plainNode(), ["program.mjs"], options);
  project.remove();
  return [status, stdout + stderr];
}

test("keep the process alive until changes are durable", () => {
  const program = `import { Graph, system } from "svc-server";
await system.initialize("durable", { root: "data", durability: "async" });
const graph = new Graph("g");
for (let n = 0; n < 200; n++) {
  graph.createVertex("v" + n);
  await system.waitDurable();
}
console.log("all durable");
process.exit(0);
`;
  assert.equal(run(program), [0, "all durable\n"]);
});

test.run();
