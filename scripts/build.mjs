// Builds the package into dist/: the kernels, then our own compiler, which compiles the built-in
// plugins, then everything else. A complete new dist/ replaces the old one. Does nothing if dist/
// was built from the same sources, because `npm start` and `npm test` build first.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build as bundle } from "esbuild";
import { build as tsup } from "tsup";
import { bundleClientRuntime, joinClientDeclarations } from "./client-runtime.mjs";
import { bundleConsole } from "./console.mjs";
import { makeConstants } from "./constant-bindings.mjs";
import { hashSources, isCurrent, recordBuild } from "./current-build.mjs";
import { joinChunks, listModules } from "./join-chunks.mjs";
import { joinDeclarations } from "./join-declarations.mjs";
import { assembleKernels } from "./kernels.mjs";
import { pythonRuntime } from "./python-runtime.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const staging = join(root, `dist.new-${process.pid}`);

process.chdir(root);
const sources = hashSources(root);
if (isCurrent(root, sources)) process.exit();
mkdirSync(staging);
try {
  // First: the compiler checks expressions with runtime code that needs them.
  await assembleKernels(root);
  const { compileBuiltins, replaceFolder } = await load("compiler/builtins.ts");
  failOnErrors(compileBuiltins(root));
  // `allSettled`, since the folder is removed if one fails while others still write.
  const ended = await Promise.allSettled([
    tsup({ outDir: staging }),
    bundleClientRuntime("client/typescript/runtime.ts", staging),
    bundleConsole(staging),
    writeDeclarations(),
  ]);
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
  await joinChunks(staging);
  const { restoreClassNames } = await load("compiler/read/class-names.ts");
  const codes = listModules(staging).map((file) => {
    return [file, restoreClassNames(readFileSync(file, "utf8"))];
  });
  for (const [file, code] of makeConstants(new Map(codes))) writeFileSync(file, code);
  joinClientDeclarations(staging);
  joinDeclarations(join(staging, "types"), "runtime/index.d.ts", "runtime/plugins.d.ts");
  writeFileSync(join(staging, "third-party-licenses.txt"), thirdPartyLicenses());
  writeFileSync(join(staging, "client/runtime.py"), pythonRuntime(root));
  const { descriptorSchema } = await load("runtime/system/descriptor-schema.ts");
  writeFileSync(join(staging, "system.schema.json"), JSON.stringify(descriptorSchema(), null, 2));
  // Distinguishes builds of one version: `.svc/` folders of another build are rebuilt.
  const { codeId } = await load("runtime/base/installation.ts");
  writeFileSync(join(staging, "build-id"), `${codeId(staging)}\n`);
  replaceFolder(staging, join(root, "dist"));
  recordBuild(root, sources);
} finally {
  rmSync(staging, { recursive: true, force: true });
}

/**
 * Bundles a module into a temporary file. The compiler comes first, because the runtime cannot be
 * bundled without it.
 */
async function load(entry) {
  const outfile = join(staging, `${basename(entry, ".ts")}.mjs`);
  await bundle({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  const module = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return module;
}

function failOnErrors(diagnostics) {
  for (const { code, position, message } of diagnostics) {
    console.error(`${position.file}:${position.line}:${position.column} - ${code}: ${message}`);
  }
  if (diagnostics.some(({ severity }) => severity === "error")) {
    throw new Error("the built-in plugins do not compile");
  }
}

function writeDeclarations() {
  const compiler = join("node_modules", "typescript", "bin", "tsc");
  const options = ["-p", "tsconfig.build.json", "--outDir", join(staging, "types")];
  const child = spawn(process.execPath, [compiler, ...options], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      // Declarations are emitted despite errors; the code that follows would be unsound.
      if (code === 0) resolve();
      else reject(new Error("the declarations have type errors"));
    });
  });
}

/** Licenses of packages that are bundled into dist/ instead of installed. */
function thirdPartyLicenses() {
  const files = [
    "@modelcontextprotocol/server/LICENSE",
    "@preact/signals-core/LICENSE",
    "@preact/signals/LICENSE",
    "jquery/LICENSE.txt",
    "json-schema-to-typescript/LICENCE.md",
    "lodash/LICENSE",
    "preact/LICENSE",
    "zod/LICENSE",
  ];
  const texts = files.map((file) => readFileSync(join("node_modules", file), "utf8").trim());
  files.push("Inter/LICENSE.txt");
  texts.push(readFileSync("console/font/LICENSE.txt", "utf8").trim());
  return files.map((file, index) => `${dirname(file)}\n\n${texts[index]}\n`).join("\n\n");
}
