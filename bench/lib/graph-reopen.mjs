// Opens a stored graph and says on standard output how long that took and what is in it.
//
//   node graph-reopen.mjs <root> <name>

import { svc } from "./package.mjs";

const [root, name] = process.argv.slice(2);
const startedMs = performance.now();
await svc.system.initialize("bench", { root });
const { order, size } = new svc.Graph(name);
const seconds = (performance.now() - startedMs) / 1000;
process.stdout.write(JSON.stringify({ seconds, order, size }));
process.exit();
