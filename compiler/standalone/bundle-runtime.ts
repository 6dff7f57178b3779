// Bundles the runtime of this package, without code that only builds need, into few files.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../runtime/base/package-info.js";
import { restoreClassNames } from "../read/class-names.js";

/** Entry points in dist/: modules that user code imports, the server, and its threads. */
const ENTRIES = [
  "index",
  "config",
  "convert",
  "plugins",
  "standalone",
  "threads/io",
  "threads/executor",
  "threads/admin",
  "threads/interconnect",
];
/** Files copied unchanged. */
const ASSETS = ["console", "jquery", "build-id", "third-party-licenses.txt"];

/**
 * Writes the bundle.
 * @param outdir a new folder
 */
export async function bundleRuntime(outdir: string): Promise<void> {
  const { build } = await import("esbuild");
  const dist = join(packageRoot(), "dist");
  const { metafile } = await build({
    absWorkingDir: packageRoot(),
    entryPoints: Object.fromEntries(ENTRIES.map((name) => [name, join(dist, `${name}.js`)])),
    outdir,
    bundle: true,
    // Splitting avoids duplicates of a class in a thread that loads several entry points.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    // An optional native package, used if installed.
    external: ["hyper-express"],
    logLevel: "silent",
  });
  for (const name of readdirSync(outdir).filter((name) => name.endsWith(".js"))) {
    const path = join(outdir, name);
    writeFileSync(path, restoreClassNames(readFileSync(path, "utf8")));
  }
  for (const name of ASSETS) cpSync(join(dist, name), join(outdir, name), { recursive: true });
  const file = join(outdir, "third-party-licenses.txt");
  writeFileSync(file, readFileSync(file, "utf8") + readLicenses(Object.keys(metafile.inputs)));
}

/** Returns the licenses of the packages in the bundle. */
function readLicenses(inputs: readonly string[]): string {
  const packages = inputs.flatMap((path) => {
    const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    return match === null ? [] : [[match[1]!, match[0]] as const];
  });
  return [...new Map(packages)]
    .map(([name, folder]) => {
      const text = readFileSync(join(packageRoot(), folder, "LICENSE"), "utf8").trim();
      return `\n\n${name}\n\n${text}\n`;
    })
    .join("");
}
