// Bundles the runtime of this package, without the parts that only builds need, into as few files
// as its threads allow.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../runtime/base/package-info.js";
import { restoreClassNames } from "../read/class-names.js";

/** Entry points of dist/: what user code imports, the server, and its threads. */
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

/** @param outdir a new folder */
export async function bundleRuntime(outdir: string): Promise<void> {
  const { build } = await import("esbuild");
  const dist = join(packageRoot(), "dist");
  const { metafile } = await build({
    absWorkingDir: packageRoot(),
    entryPoints: Object.fromEntries(ENTRIES.map((name) => [name, join(dist, `${name}.js`)])),
    outdir,
    bundle: true,
    // Splitting keeps every class unique per thread, whichever entry point loads it.
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
  writeFileSync(file, readFileSync(file, "utf8") + licensesOf(Object.keys(metafile.inputs)));
}

/** Licenses of the packages that are part of the bundle. */
function licensesOf(inputs: readonly string[]): string {
  const packages = inputs.flatMap((path) => {
    const found = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    return found === null ? [] : [[found[1]!, found[0]] as const];
  });
  return [...new Map(packages)]
    .map(([name, folder]) => {
      const text = readFileSync(join(packageRoot(), folder, "LICENSE"), "utf8").trim();
      return `\n\n${name}\n\n${text}\n`;
    })
    .join("");
}
