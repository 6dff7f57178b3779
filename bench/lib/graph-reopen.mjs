// Opens a stored graph and prints its contents and the CPU time of all threads: one reads while
// another waits.
//
//   node graph-reopen.mjs <root> <name>

import { svc } from "./package.mjs";
import { ownCpuUs } from "./process-figures.mjs";

const [root, name] = process.argv.slice(2);
const begunUs = ownCpuUs();
await svc.system.initialize("bench", { root });
const { order, size } = new svc.Graph(name);
const seconds = (ownCpuUs() - begunUs) / 1e6;
process.stdout.write(JSON.stringify({ seconds, order, size }));
process.exit();
