// The process of builder.mjs. It ends with the runner.

import { buildProject } from "../../dist/compiler.js";
import { cpuSeconds } from "./cpu-seconds.mjs";

/** The last build: one follows the other. */
let last = Promise.resolve();

process.on("message", ({ id, folder }) => {
  if (id === 0) process.send({ cpuSeconds: cpuSeconds() }, () => process.disconnect());
  else last = last.then(async () => process.send({ id, error: await buildError(folder) }));
});

async function buildError(folder) {
  try {
    const { ok, diagnostics } = await buildProject(folder);
    return ok ? "" : JSON.stringify(diagnostics, null, 1);
  } catch (error) {
    return error.stack;
  }
}
