// Browser assets: the web console, bundled into dist/console/ with code, style and icon named by
// content hash and a page that references them, and jQuery in dist/jquery/. Each file is stored
// compressed only: no server has to compress it, and the package stays small.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

/** @param staging folder that becomes dist/ */
export async function bundleConsole(staging) {
  const { outputFiles } = await build({
    entryPoints: ["console/main.tsx", "console/style.css"],
    outdir: "console",
    tsconfig: "console/tsconfig.json",
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
  });
  const folder = join(staging, "console");
  mkdirSync(folder);
  let page = readFileSync("console/index.html", "utf8");
  const files = outputFiles.map(({ path, contents }) => [path.replaceAll("\\", "/"), contents]);
  files.push(["console/icon.svg", readFileSync("console/icon.svg")]);
  for (const [path, contents] of files) {
    const [, name, suffix] = /([\w-]+)\.(\w+)$/.exec(path);
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 10);
    const named = `${name}-${hash}.${suffix}`;
    page = page.replace(`svc/console/${name}.${suffix}`, `svc/console/${named}`);
    writeCompressed(join(folder, named), contents);
  }
  writeCompressed(join(folder, "index.html"), Buffer.from(page));
  mkdirSync(join(staging, "jquery"));
  const jquery = readFileSync("node_modules/jquery/dist/jquery.min.js");
  writeCompressed(join(staging, "jquery", "jquery.js"), jquery);
}

function writeCompressed(file, contents) {
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(contents, { params }));
}
