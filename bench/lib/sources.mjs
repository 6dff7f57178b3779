// Parts of the package that it does not export, bundled from the sources.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns the exports of several modules, merged.
 * @param {...string} paths from the root of the package
 */
export async function importSources(...paths) {
  const contents = paths.map((path) => `export * from "./${path}";`).join("\n");
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
  });
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  try {
    const file = join(folder, "sources.mjs");
    writeFileSync(file, outputFiles[0].contents);
    return await import(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
