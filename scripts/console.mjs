// Browser assets: the web console, bundled into dist/console/ with files named by content hash and
// a page that references those of the first view, and jQuery in dist/jquery/. Each file is stored
// compressed only: no server has to compress it, and the package stays small.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const NAMES = "[name]-[hash]";

/** @param staging folder that becomes dist/ */
export async function bundleConsole(staging) {
  const { outputFiles, metafile } = await build({
    entryPoints: ["console/main.tsx", "console/style.css", "console/icon.svg"],
    outdir: "console",
    tsconfig: "console/tsconfig.json",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    entryNames: NAMES,
    chunkNames: NAMES,
    assetNames: NAMES,
    loader: { ".woff2": "file", ".svg": "copy" },
  });
  const folder = join(staging, "console");
  mkdirSync(folder);
  for (const { path, contents } of outputFiles) {
    const file = join(folder, basename(path));
    // Fonts are compressed already.
    if (path.endsWith(".woff2")) writeFileSync(file, contents);
    else writeCompressed(file, contents);
  }
  writeCompressed(join(folder, "index.html"), Buffer.from(pageFor(metafile)));
  mkdirSync(join(staging, "jquery"));
  const jquery = readFileSync("node_modules/jquery/dist/jquery.min.js");
  writeCompressed(join(staging, "jquery", "jquery.js"), jquery);
}

/** The page, with the hashed names of its files; what the program imports is loaded with it. */
function pageFor({ outputs }) {
  const files = Object.entries(outputs);
  const nameOf = (input) => basename(files.find(([, { inputs }]) => input in inputs)[0]);
  const program = files.find(([, { entryPoint }]) => entryPoint === "console/main.tsx");
  const preloads = program[1].imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => `    <link rel="modulepreload" href="svc/console/${basename(path)}">\n`);
  return readFileSync("console/index.html", "utf8")
    .replace("icon.svg", nameOf("console/icon.svg"))
    .replace("inter.woff2", nameOf("console/font/inter.woff2"))
    .replace("style.css", nameOf("console/style.css"))
    .replace("main.js", basename(program[0]))
    .replace(/(?= *<script)/, preloads.join(""));
}

function writeCompressed(file, contents) {
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(contents, { params }));
}
