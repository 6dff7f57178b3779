// Joins the chunks of a build that the same threads load. A bundler makes one for each combination
// of entries that use a module, and commands are entries too, so a thread had to find and read a
// hundred files. The others load what they did before, but in fewer files.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * Files that threads start with, or load as one: the engine of graphs, and their queries. The code
 * that a server needs for its first response counts more than code that is needed later.
 */
const STARTS = [
  { files: ["cli.js", "io-worker-"], weight: 1 },
  { files: ["serve-build-"], weight: 1 },
  { files: ["threads/io.js"], weight: 1 },
  { files: ["threads/executor.js", "convert.js", "plugins.js"], weight: 1 },
  { files: ["index.js"], weight: 0.3 },
  { files: ["threads/admin.js"], weight: 0.2 },
  { files: ["threads/interconnect.js"], weight: 0.2 },
  { files: ["engine-parts-"], weight: 0.2 },
  { files: ["bind-graphs-"], weight: 0.2 },
];
/** Size of code that takes as long to read as it takes to open another file. */
const FILE_BYTES = 20_000;
const STATIC_IMPORT = /^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$/gm;

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
    plugins: [joining(folder, groups, modules)],
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
  const imports = [...code.matchAll(STATIC_IMPORT)].map(([, list = "", path]) => {
    const names = list.split(",").flatMap((name) => name.trim().split(" as ", 1));
    return [resolve(dirname(file), path), names.filter((name) => name !== "")];
  });
  return { bytes: code.length, imports: new Map(imports) };
}

/** Returns the chunks that combinations of starts load, by the name of their file. */
function groupByThreads(folder, modules) {
  const loads = new Map();
  for (const [index, { files }] of STARTS.entries()) {
    const isStart = (file) => files.some((name) => file.startsWith(join(folder, name)));
    const seen = new Set([...modules.keys()].filter(isStart));
    for (const file of seen) {
      for (const target of modules.get(file).imports.keys()) seen.add(target);
      loads.set(file, [...(loads.get(file) ?? []), index]);
    }
  }
  const groups = new Map();
  for (const file of [...loads.keys()].sort()) {
    if (basename(file).startsWith("chunk-")) addGroup(groups, loads.get(file), [file], modules);
  }
  for (let pair = bestPair(groups); pair !== null; pair = bestPair(groups)) {
    for (const { key } of pair) groups.delete(key);
    const files = pair.flatMap((group) => group.files);
    addGroup(groups, union(...pair), files, modules);
  }
  // The names of chunks contain a hash of what they contain. All of them decide the short names.
  const all = [...groups.values()];
  const chunks = all.flatMap(({ files }) => files).map((file) => basename(file));
  return new Map(all.map(({ key, files }) => [fileName([key, ...chunks]), files]));
}

/** Adds chunks to the group of all that the same starts load. */
function addGroup(groups, starts, added, modules) {
  const key = starts.join();
  const files = [...(groups.get(key)?.files ?? []), ...added];
  const bytes = files.reduce((sum, file) => sum + modules.get(file).bytes, 0);
  const imports = new Set(files.flatMap((file) => [...modules.get(file).imports.keys()]));
  groups.set(key, { key, starts, files, bytes, imports });
}

/** Returns the two groups that save most time as one, or null if none save any. */
function bestPair(groups) {
  const all = [...groups.values()];
  let best = null;
  let most = 0;
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      const saved = savedBytes(one, other);
      if (saved <= most || !canJoin(one, other, all)) continue;
      best = [one, other];
      most = saved;
    }
  }
  return best;
}

/** Starts that load both groups open one file less; the other starts read more code. */
function savedBytes(one, other) {
  const weigh = (starts) => starts.reduce((sum, start) => sum + STARTS[start].weight, 0);
  const both = one.starts.filter((start) => other.starts.includes(start));
  const cost = (group) => (weigh(union(one, other)) - weigh(group.starts)) * group.bytes;
  return weigh(both) * FILE_BYTES - cost(one) - cost(other);
}

/** Returns whether all starts of both groups load whatever these import. */
function canJoin(one, other, groups) {
  const starts = union(one, other);
  return groups.every((group) => {
    if (group === one || group === other) return true;
    const isNeeded = group.files.some((file) => one.imports.has(file) || other.imports.has(file));
    return !isNeeded || starts.every((start) => group.starts.includes(start));
  });
}

/** Returns the starts that load one of two groups. */
function union(one, other) {
  return [...new Set([...one.starts, ...other.starts])].sort();
}

function fileName(parts) {
  const hash = createHash("sha256").update(parts.join()).digest("hex").slice(0, 8);
  return `joined-${hash.toUpperCase()}`;
}

/**
 * Returns short names for what each group exports, by chunk: different ones, as chunks share files.
 * Whatever is not imported from outside the group is not exported, so that threads link less.
 */
function exportedNames(modules, groupOf) {
  const exported = new Map();
  let count = 0;
  for (const [importer, { imports }] of modules) {
    for (const [file, names] of imports) {
      if (!groupOf.has(file) || groupOf.get(file) === groupOf.get(importer)) continue;
      const short = exported.get(file) ?? new Map();
      exported.set(file, short);
      for (const name of names) {
        if (!short.has(name)) short.set(name, `$${(count++).toString(36)}`);
      }
    }
  }
  return exported;
}

/** Returns the names that each file of the output imports, by that file and the chunk. */
function importedNames(modules, ownerOf) {
  const imported = new Map();
  for (const [importer, { imports }] of modules) {
    for (const [file, names] of imports) {
      const key = `${file} ${ownerOf(importer)}`;
      imported.set(key, new Set([...(imported.get(key) ?? []), ...names]));
    }
  }
  return imported;
}

/** Bundles the chunks of a group into one file, from which all others import. */
function joining(folder, groups, modules) {
  const groupOf = new Map([...groups].flatMap(([name, all]) => all.map((file) => [file, name])));
  const ownerOf = (file) => groupOf.get(file) ?? file.slice(folder.length + 1);
  const exported = exportedNames(modules, groupOf);
  const imported = importedNames(modules, ownerOf);
  const reexport = (from, names) => {
    const list = names.map((pair) => pair.join(" as ")).join(", ");
    return `export { ${list} } from ${JSON.stringify(from)};`;
  };
  return {
    name: "joining",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^joined:/ }, ({ path }) => {
        return { path: path.slice("joined:".length), namespace: "group" };
      });
      onLoad({ filter: /.*/, namespace: "group" }, ({ path: group }) => {
        const parts = groups.get(group).map((file) => {
          return reexport(file, [...(exported.get(file) ?? [])]);
        });
        return { contents: parts.join("\n"), resolveDir: folder };
      });
      onResolve({ filter: /^[./]/ }, ({ path, kind, importer, namespace, resolveDir }) => {
        if (kind === "entry-point") return;
        const file = resolve(namespace === "file" ? dirname(importer) : resolveDir, path);
        const target = groupOf.get(file);
        if (kind !== "import-statement" || target === undefined) return { path, external: true };
        if (target === (groupOf.get(importer) ?? importer)) return { path: file };
        // Each file of the output imports names of its own. Its folder is not part of the output.
        const owner = ownerOf(importer);
        return { path: basename(file), namespace: "other", pluginData: owner, suffix: `?${owner}` };
      });
      onLoad({ filter: /.*/, namespace: "other" }, ({ path: name, pluginData: owner }) => {
        const file = join(folder, name);
        const place = owner.includes("/") ? ".." : ".";
        const names = [...imported.get(`${file} ${owner}`)];
        const pairs = names.map((text) => [exported.get(file).get(text), text]);
        return { contents: reexport(`external:${place}/${groupOf.get(file)}.js`, pairs) };
      });
      onResolve({ filter: /^external:/ }, ({ path }) => {
        return { path: path.slice("external:".length), external: true };
      });
    },
  };
}
