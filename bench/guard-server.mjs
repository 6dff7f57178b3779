// CPU time of a build, of a start and of requests, for `guard.mjs`, which forks this program:
// seconds by row name.

import { madePlugins } from "./lib/made-plugins.mjs";
import { cpuUs, ownCpuUs } from "./lib/process-figures.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load } from "./lib/wrk.mjs";

const PLUGIN = `import type { int, PluginRequest } from "svc-server";

/** The next number. @plugin */
export function next(_request: PluginRequest, n: int): int {
  return n + 1;
}
`;
const CONNECTIONS = 32;
const NET = { options: ["--transport", "net"] };
const LOADS = [
  ["trivial plugin, a request", "/svc/plugin/next?n=1", 3],
  ["health check, a request", "/svc/hc", 2],
];

const rows = {};
const large = makeProject(madePlugins(10));
rows["svc build, 100 plugins"] = cpuOfChildren(() => build(large));
const project = makeProject({ "plugins/next.ts": PLUGIN });
build(project);
const server = await startSvc(project, NET);
rows["svc serve, start"] = cpuUs(server.pid) / 1e6;
for (const [label, path, seconds] of LOADS) {
  // The first requests are a warm-up run.
  await load(server, { path, connections: CONNECTIONS, seconds: 1 });
  const { cpuUs: cost } = await load(server, { path, connections: CONNECTIONS, seconds });
  rows[label] = cost / 1e6;
}
await server.stop();
process.send(rows);

/** Returns the CPU time of the children that a call starts and awaits. */
function cpuOfChildren(call) {
  const before = ownCpuUs() - cpuUs("self");
  call();
  return (ownCpuUs() - cpuUs("self") - before) / 1e6;
}
