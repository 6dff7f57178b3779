// Builds the part that all generated TypeScript clients share into dist/client/: readable code as
// `runtime.js` and `runtime.cjs`, and its declarations as one `runtime.d.ts` that imports nothing.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const TITLE = "// Runtime part of a client that `svc client` made. Do not edit.\n";
/** Files with published declarations; each uses only those of files before it. */
const DECLARED = ["options", "svc-error", "operation", "connection"];

/** @param entry whose exports the code has */
export async function bundleClientRuntime(entry, staging) {
  const forms = [
    ["esm", "runtime.js"],
    ["cjs", "runtime.cjs"],
  ];
  for (const [format, name] of forms) {
    await build({
      entryPoints: [entry],
      outfile: join(staging, "client", name),
      bundle: true,
      format,
      platform: "neutral",
      target: "es2022",
      charset: "utf8",
      banner: { js: TITLE },
    });
  }
}

/** Joins the declarations that tsc wrote, file by file, below `types/`, and takes them away. */
export function joinClientDeclarations(staging) {
  const folder = join(staging, "types/client");
  const texts = DECLARED.map((name) =>
    readFileSync(join(folder, "typescript", `${name}.d.ts`), "utf8").replace(
      /^(import .*|export \{\};|\/\/.*)\n/gm,
      "",
    ),
  );
  writeFileSync(join(staging, "client/runtime.d.ts"), `${TITLE}\n${texts.join("")}`);
  rmSync(folder, { recursive: true });
}
