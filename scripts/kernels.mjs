// Generates the kernels of the runtime: assembles WebAssembly texts into TypeScript modules that
// hold their bytes, and writes the loops over arcs.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import loadWabt from "wabt";
import { arcLoops, hubModule } from "./arc-kernels.mjs";

const FOLDER = "runtime/graph/vectors/kernels";
const ARC_FOLDER = "runtime/graph/query/match";
const FEATURES = { simd: true, threads: true };

/** @param {string} root folder of this package's sources */
export async function assembleKernels(root) {
  const wabt = await loadWabt();
  const folder = join(root, FOLDER);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".wat"))) {
    const text = readFileSync(join(folder, file), "utf8");
    writeGenerated(folder, file.replace(/\.wat$/, ""), assembled(wabt, file, text));
  }
  const arcs = join(root, ARC_FOLDER);
  writeGenerated(arcs, "hub", assembled(wabt, "scripts/arc-kernels.mjs", hubModule()));
  writeGenerated(arcs, "arc-kernels", arcLoops());
}

/** Returns a TypeScript module that holds the bytes of a WebAssembly module. */
function assembled(wabt, source, text) {
  const module = wabt.parseWat(source, text, FEATURES);
  module.validate(FEATURES);
  const bytes = Buffer.from(module.toBinary({}).buffer);
  module.destroy();
  return (
    `// Made of ${source} by scripts/kernels.mjs. Do not edit.\n\n` +
    `export const CODE = Buffer.from(\n  "${bytes.toString("base64")}",\n  "base64",\n);\n`
  );
}

function writeGenerated(folder, name, text) {
  const generated = join(folder, ".generated");
  mkdirSync(generated, { recursive: true });
  writeFileSync(join(generated, `${name}.ts`), text);
}
