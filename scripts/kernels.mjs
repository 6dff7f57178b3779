// Assembles the WebAssembly texts of the runtime into modules of TypeScript that hold their bytes.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import loadWabt from "wabt";

const FOLDER = "runtime/graph/kernels";
const FEATURES = { simd: true, threads: true };

/** @param {string} root folder of this package's sources */
export async function assembleKernels(root) {
  const wabt = await loadWabt();
  const folder = join(root, FOLDER);
  const generated = join(folder, ".generated");
  mkdirSync(generated, { recursive: true });
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".wat"))) {
    const text = readFileSync(join(folder, file), "utf8");
    const module = wabt.parseWat(file, text, FEATURES);
    module.validate(FEATURES);
    const bytes = Buffer.from(module.toBinary({}).buffer);
    module.destroy();
    const name = file.replace(/\.wat$/, "");
    writeFileSync(
      join(generated, `${name}.ts`),
      `// Made of ${file} by scripts/kernels.mjs. Do not edit.\n\n` +
        `export const CODE = Buffer.from(\n  "${bytes.toString("base64")}",\n  "base64",\n);\n`,
    );
  }
}
