// Browser assets: the web console, bundled into dist/console/ with code, style and icon named by
// content hash and a page that references them, and jQuery in dist/jquery/. Each file is stored
// compressed only: no server has to compress it, and the package stays small.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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
    external: ["*.woff2"],
  });
  const folder = join(staging, "console");
  mkdirSync(folder);
  let page = readFileSync("console/index.html", "utf8");
  const font = readFileSync("console/font/inter.woff2");
  const fontFile = hashedName("inter.woff2", font);
  writeFileSync(join(folder, fontFile), font);
  page = page.replace("inter.woff2", fontFile);
  const files = outputFiles.map(({ path, contents }) => [path.replaceAll("\\", "/"), contents]);
  files.push(["console/icon.svg", readFileSync("console/icon.svg")]);
  for (const [path, bytes] of files) {
    const name = basename(path);
    const isStyle = name.endsWith(".css");
    const contents = isStyle
      ? Buffer.from(Buffer.from(bytes).toString().replace("inter.woff2", fontFile))
      : bytes;
    const named = hashedName(name, contents);
    page = page.replace(`svc/console/${name}`, `svc/console/${named}`);
    writeCompressed(join(folder, named), contents);
  }
  writeCompressed(join(folder, "index.html"), Buffer.from(page));
  mkdirSync(join(staging, "jquery"));
  const jquery = readFileSync("node_modules/jquery/dist/jquery.min.js");
  writeCompressed(join(staging, "jquery", "jquery.js"), jquery);
}

/** `main.js` becomes `main-0123456789.js`. */
function hashedName(name, contents) {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 10);
  return name.replace(/(?=\.\w+$)/, `-${hash}`);
}

function writeCompressed(file, contents) {
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(contents, { params }));
}
