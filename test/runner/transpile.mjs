// Transpiles the sources and tests to JavaScript before a run, so that test processes need no
// loader: an import of a TypeScript file through a loader costs several times its execution. Only
// files that changed since the last run are transpiled. `import.meta` refers to the sources, whose
// folders contain fixtures.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, stop, version } from "esbuild";
import { TRANSPILED, transpiledFile } from "./transpiled.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FOLDERS = ["argspec", "cli", "client", "compiler", "console", "runtime", "test"];
const SKIPPED = /(^|\/)(node_modules|\.svc)(\/|$)/;
const WRAPPED_UVU = new URL("./limited-uvu.mjs", import.meta.url).href;
const STRICT_ASSERT = new URL("./strict-assert.mjs", import.meta.url).href;
const INDEX = join(TRANSPILED, "index.json");
/** Output of other versions of this module or of esbuild, or of a copied repository, is stale. */
const FORMAT = `${version} ${root} ${statSync(fileURLToPath(import.meta.url)).mtimeMs}`;

const SOURCE_PATHS = {
  name: "source-paths",
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const names = {
        __sourceUrl: pathToFileURL(path).href,
        __sourceFolder: dirname(path),
        __sourceFile: path,
      };
      const text = readFileSync(path, "utf8");
      const used = Object.entries(names).filter(() => text.includes("import.meta."));
      const lines = used.map(([name, value]) => `const ${name} = ${JSON.stringify(value)}; `);
      return { contents: lines.join("") + text, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

/** Transpiled files import each other, and anything else where it is. */
const REDIRECTED_IMPORTS = {
  name: "redirected-imports",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) =>
      kind === "entry-point" ? undefined : { path: redirect(path, importer), external: true },
    );
  },
};

function redirect(specifier, importer) {
  if (specifier === "uvu" && importer.endsWith(".test.ts")) return WRAPPED_UVU;
  if (specifier === "uvu/assert") return STRICT_ASSERT;
  if (!specifier.startsWith(".")) return specifier;
  const target = new URL(specifier, pathToFileURL(importer));
  const stem = fileURLToPath(target).replace(/\.js$/, "");
  const isTranspiled = existsSync(`${stem}.ts`) || existsSync(`${stem}.tsx`);
  return isTranspiled ? specifier : target.href;
}

/** Updates the outputs of all sources. */
export async function transpileSources() {
  const index = readIndex();
  const next = { format: FORMAT, files: {} };
  const stale = [];
  for (const path of FOLDERS.flatMap(listSources)) {
    const { mtimeMs, size } = statSync(join(root, path));
    next.files[path] = `${mtimeMs} ${size}`;
    if (index.files[path] !== next.files[path]) stale.push(path);
  }
  for (const path of Object.keys(index.files)) {
    if (next.files[path] === undefined) rmSync(transpiledFile(path), { force: true });
  }
  if (stale.length > 0) {
    await transpile(stale);
    await stop();
  }
  replaceFile(join(TRANSPILED, "package.json"), '{ "type": "module" }');
  replaceFile(INDEX, JSON.stringify(next));
}

function readIndex() {
  try {
    const index = JSON.parse(readFileSync(INDEX, "utf8"));
    if (index.format === FORMAT) return index;
  } catch {
    // The first run has none.
  }
  rmSync(TRANSPILED, { recursive: true, force: true });
  return { files: {} };
}

function listSources(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path) && !SKIPPED.test(path));
}

async function transpile(paths) {
  const { outputFiles } = await build({
    entryPoints: paths,
    absWorkingDir: root,
    outdir: TRANSPILED,
    outbase: root,
    write: false,
    // For the redirection of imports only: each is external.
    bundle: true,
    treeShaking: false,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    sourcesContent: false,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: {
      "import.meta.url": "__sourceUrl",
      "import.meta.dirname": "__sourceFolder",
      "import.meta.filename": "__sourceFile",
    },
    plugins: [SOURCE_PATHS, REDIRECTED_IMPORTS],
  });
  for (const { path, text } of outputFiles) replaceFile(path, text);
}

/** A run at the same time reads either version. */
function replaceFile(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}
