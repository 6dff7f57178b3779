// Builds the shared runtime of generated TypeScript clients into dist/client/: readable code as
// `runtime.js` and `runtime.cjs`, and declarations as one `runtime.d.ts` without imports.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const TITLE = "// Runtime part of a client that `svc client` made. Do not edit.\n";
/** Files with published declarations; each uses only earlier ones. */
const DECLARED = ["options", "svc-error", "operation", "connection"];

/** @param entry module whose exports are bundled */
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

/** Joins the declarations that tsc wrote below `types/`, and removes them. */
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
