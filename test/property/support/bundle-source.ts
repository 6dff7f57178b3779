// Bundles sources of threads and processes into one string that starts within milliseconds, instead
// of compiling them in each. For tests that start many.

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** @param source TypeScript; the output is CommonJS */
export function bundleSource(source: URL): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}
