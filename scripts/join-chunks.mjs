// Joins the chunks of a build that the same threads load. A bundler makes one for each combination
// of entries that use a module, and commands are entries too, so a thread had to find and read a
// hundred files. The others load what they did before, but in fewer files.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "esbuild";

/** Files that threads start with, or load as one: the engine of graphs, and their queries. */
const STARTS = [
  ["cli.js"],
  ["serve-build-"],
  ["threads/io.js"],
  ["threads/executor.js", "convert.js", "plugins.js"],
  ["index.js"],
  ["threads/admin.js"],
  ["threads/interconnect.js"],
  ["engine-parts-"],
  ["bind-graphs-"],
];
/** Size of a group that needs no file of its own. */
const SMALL_BYTES = 32_000;
const STATIC_IMPORT = /^(?:import|export)\b[^;"]*"(\.[^"]+)";$/gm;
const EXPORTS = /^export \{\n([^}]*)\};$/m;

/** @param folder the output of the bundler, which is changed */
export async function joinChunks(folder) {
  const files = listModules(folder);
  const modules = new Map(files.map((file) => [file, readModule(file)]));
  const groups = groupByThreads(folder, modules);
  const joined = new Set([...groups.values()].flat());
  const others = files.filter((file) => !joined.has(file));
  await build({
    entryPoints: [
      ...others.map((file) => ({ in: file, out: file.slice(folder.length + 1, -".js".length) })),
      ...[...groups.keys()].map((name) => ({ in: `joined:${name}`, out: name })),
    ],
    // Its paths are part of the output.
    absWorkingDir: folder,
    ...{ outdir: folder, allowOverwrite: true, bundle: true, format: "esm", sourcemap: true },
    ...{ platform: "node", target: "node20", packages: "external", logLevel: "error" },
    plugins: [joining(folder, groups, shortNames(modules, groups))],
  });
  for (const file of joined) for (const end of ["", ".map"]) rmSync(file + end);
}

/** Returns the files of a build that Node.js runs. */
export function listModules(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /^(threads\/)?[\w-]+\.js$/.test(name))
    .map((name) => join(folder, name));
}

function readModule(file) {
  const code = readFileSync(file, "utf8");
  const imports = [...code.matchAll(STATIC_IMPORT)].map(([, path]) => resolve(dirname(file), path));
  const [, list = ""] = EXPORTS.exec(code) ?? [];
  const names = list.split(",").map((name) => name.trim().split(" as ").at(-1));
  return { bytes: code.length, imports, names: names.filter((name) => name !== "") };
}

/** Returns the chunks that each combination of starting files loads, by the name of their file. */
function groupByThreads(folder, modules) {
  const loads = new Map();
  for (const names of STARTS) {
    const isStart = (file) => names.some((name) => file.startsWith(join(folder, name)));
    const seen = new Set([...modules.keys()].filter(isStart));
    for (const file of seen) {
      for (const target of modules.get(file).imports) seen.add(target);
      loads.set(file, [...(loads.get(file) ?? []), names[0]]);
    }
  }
  const groups = new Map();
  for (const file of [...loads.keys()].sort()) {
    if (!basename(file).startsWith("chunk-")) continue;
    const key = loads.get(file).join();
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  joinSmall(groups, modules);
  // The names of chunks contain a hash of what they contain. All of them decide the short names.
  const chunks = [...groups.values()].flat().map((file) => basename(file));
  return new Map([...groups].map(([key, all]) => [fileName([key, ...chunks]), all]));
}

/**
 * Moves small groups into groups that more threads load. It takes longer to open another file than
 * reading a few functions that a thread does not need, but it must load no other file for them.
 */
function joinSmall(groups, modules) {
  const size = (all) => all.reduce((sum, file) => sum + modules.get(file).bytes, 0);
  const bySize = [...groups.keys()].sort((a, b) => size(groups.get(a)) - size(groups.get(b)));
  for (const key of bySize) {
    const all = groups.get(key);
    if (size(all) > SMALL_BYTES) continue;
    const imported = new Set(all.flatMap((file) => modules.get(file).imports));
    const needed = [...groups].filter(([other, files]) => {
      return other !== key && files.some((file) => imported.has(file));
    });
    const target = bySize.find((other) => {
      if (other === key || !groups.has(other) || !isWithin(key, other)) return false;
      return needed.every(([need]) => need === other || isWithin(other, need));
    });
    if (target === undefined) continue;
    groups.set(target, [...groups.get(target), ...all]);
    groups.delete(key);
  }
}

/** Returns whether all starting files of one combination belong to the other. */
function isWithin(key, other) {
  const all = other.split(",");
  return key.split(",").every((start) => all.includes(start));
}

function fileName(parts) {
  const hash = createHash("sha256").update(parts.join()).digest("hex").slice(0, 8);
  return `joined-${hash.toUpperCase()}`;
}

/** Returns short names for what the chunks export: different ones, as they share files. */
function shortNames(modules, groups) {
  const names = new Map();
  for (const file of [...groups.values()].flat()) {
    const shorten = (name) => [name, `$${(count++).toString(36)}`];
    let count = [...names.values()].reduce((sum, { size }) => sum + size, 0);
    names.set(file, new Map(modules.get(file).names.map(shorten)));
  }
  return names;
}

/** Bundles the chunks of a group into one file, from which all others import. */
function joining(folder, groups, short) {
  const groupOf = new Map([...groups].flatMap(([name, all]) => all.map((file) => [file, name])));
  const reexport = (file, from, format) => {
    const names = [...short.get(file)].map(format).join(", ");
    return `import ${JSON.stringify(from)}; export { ${names} } from ${JSON.stringify(from)};`;
  };
  return {
    name: "joining",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^joined:/ }, ({ path }) => {
        return { path: path.slice("joined:".length), namespace: "group" };
      });
      onLoad({ filter: /.*/, namespace: "group" }, ({ path: group }) => {
        const parts = groups.get(group).map((file) => {
          return reexport(file, file, ([name, alias]) => `${name} as ${alias}`);
        });
        return { contents: parts.join("\n"), resolveDir: folder };
      });
      onResolve({ filter: /^[./]/ }, ({ path, kind, importer, namespace, resolveDir }) => {
        if (kind === "entry-point") return;
        const file = resolve(namespace === "file" ? dirname(importer) : resolveDir, path);
        const target = groupOf.get(file);
        if (kind !== "import-statement" || target === undefined) return { path, external: true };
        if (target === (groupOf.get(importer) ?? importer)) return { path: file };
        const place = dirname(importer) === folder ? "." : "..";
        // All chunks are in one folder, whose name is not part of the output.
        const facts = { pluginData: place, suffix: `?${place}` };
        return { path: basename(file), namespace: "other", ...facts };
      });
      onLoad({ filter: /.*/, namespace: "other" }, ({ path: name, pluginData: place }) => {
        const file = join(folder, name);
        const from = `external:${place}/${groupOf.get(file)}.js`;
        return { contents: reexport(file, from, ([name, alias]) => `${alias} as ${name}`) };
      });
      onResolve({ filter: /^external:/ }, ({ path }) => {
        return { path: path.slice("external:".length), external: true };
      });
    },
  };
}
