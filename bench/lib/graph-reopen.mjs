// Opens a stored graph and says on standard output what is in it and which CPU time that took, in
// all threads: one of them reads while another one waits.
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
