// Conventions of our own code, checked by program: sizes, headers, direction of imports, dead code,
// leftovers, and tables that agree with the code.
// limit: 60 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ERROR_CODES } from "../runtime/base/error-codes.js";
import { type Module, parseModule, ROOT, sourceFiles } from "./support/source-files.js";

/** 400 is the advice; a file with a single idea may be longer. */
const MAX_FILE_LINES = 500;
const MAX_FUNCTION_LINES = 70;
const MAX_COLUMNS = 100;

const test = suite("tidy");
const files = sourceFiles();
const code = files.filter(({ path }) => /\.(tsx?|mjs|cjs|css)$/.test(path));
const modules = code.filter(({ path }) => /\.tsx?$/.test(path)).map(parseModule);
const byPath = new Map(modules.map((module) => [module.path, module]));
const product = modules.filter(({ path }) =>
  /^(argspec|cli|client|compiler|console|runtime)\//.test(path),
);

/** Fails with one line for every violation. */
function expectNone(findings: readonly string[]): void {
  assert.is(findings.join("\n"), "");
}

test("files, functions and lines are short", () => {
  const findings: string[] = [];
  for (const { path, text } of code) {
    const lines = text.trimEnd().split("\n");
    if (lines.length > MAX_FILE_LINES) findings.push(`${path}: ${lines.length} lines`);
    lines.forEach((line, index) => {
      if (line.length > MAX_COLUMNS) findings.push(`${path}:${index + 1}: ${line.length} columns`);
    });
  }
  for (const { path, functions } of modules) {
    for (const { line, lines } of functions) {
      if (lines > MAX_FUNCTION_LINES) findings.push(`${path}:${line}: function of ${lines} lines`);
    }
  }
  expectNone(findings);
});

test("every file begins with a header comment", () => {
  const written = code.filter(({ path }) => !path.startsWith("templates/") && path.includes("/"));
  const bare = written.filter(({ text }) => !/^(#!.*\n)?(\/\/ \S|\/\*\*?\s)/.test(text));
  expectNone(bare.map(({ path }) => path));
});

test("no leftovers remain: notes, conflict markers, `any`, hosts, local paths", () => {
  const patterns = [
    /\b(TODO|FIXME|XXX|HACK)\b/,
    /^(<{7}|>{7}) /m,
    /(^|[\s"'`(=:])\/(home|work|root|Users)\/\w/m,
    /\bregistry\.\w+\.\w+|\bnpmjs\b/,
  ];
  const findings: string[] = [];
  for (const { path, text } of files) {
    if (path === "test/tidy.test.ts" || path === "LICENSE") continue;
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (match !== null) findings.push(`${path}: ${match[0].trim()}`);
    }
  }
  for (const { path, anyLines } of modules) {
    findings.push(...anyLines.map((line) => `${path}:${line}: any`));
  }
  expectNone(findings);
});

/**
 * Modules of runtime that the compiler may import at run time: tables, constants, settings and
 * texts.
 */
const SHARED_VALUES = new RegExp(
  "^runtime/(base/([\\w-]+-codes?|build-folder|did-you-mean|errors|limits|package-info|" +
    "plain-object|process-exists|unhandled-errors)|plugin/contract/job-schedule|" +
    "settings/[\\w-]+|system/(read-descriptor|system-files)|graph/api/check-expressions)\\.ts$",
);

test("imports follow one direction", () => {
  const findings: string[] = [];
  for (const module of product) {
    for (const { target, typeOnly, line } of module.imports) {
      const reason = forbidden(module.path, target, typeOnly);
      if (reason !== "") findings.push(`${module.path}:${line}: ${target}: ${reason}`);
    }
  }
  expectNone(findings);
});

function forbidden(from: string, target: string, typeOnly: boolean): string {
  const [layer] = from.split("/");
  if (target === "ts-morph" && !from.startsWith("compiler/read/")) return "only compiler/read may";
  if (layer !== "compiler" && /^(ts-morph|typescript|esbuild)$/.test(target)) {
    return "only compiler may";
  }
  if (target.startsWith("cli/") && layer !== "cli") return "nobody imports the command line";
  if (target.startsWith("compiler/") && layer === "runtime") return "runtime never needs compiler";
  if (layer === "argspec" && !typeOnly && !/^(argspec|runtime\/base\/errors)\b/.test(target)) {
    return /^(cli|compiler|runtime)\//.test(target) ? "argspec needs nobody" : "";
  }
  if (layer === "console" && !/^(console\/|preact|@preact\/signals)/.test(target)) {
    const isPure = typeOnly || target.startsWith("argspec/limits/");
    return isPure && target.startsWith("argspec/") ? "" : "the console runs in browsers";
  }
  if (layer === "client" && !target.startsWith("client/")) return "clients carry no dependencies";
  if (target.startsWith("runtime/") && layer === "compiler" && !typeOnly) {
    return SHARED_VALUES.test(target) ? "" : "compiler may use types and tables of runtime only";
  }
  if (/^(test|examples|bench|scripts)\//.test(target)) return "not part of the package";
  return "";
}

test("modules have no import cycles", () => {
  // Types too: modules that cannot be read separately belong together.
  const edges = new Map(
    product.map(({ path, imports }) => [path, imports.map(({ target }) => target)]),
  );
  const findings: string[] = [];
  const state = new Map<string, "open" | "done">();
  function visit(path: string, trail: readonly string[]): void {
    if (state.get(path) === "open") {
      findings.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    }
    if (state.has(path)) return;
    state.set(path, "open");
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    state.set(path, "done");
  }
  for (const path of edges.keys()) visit(path, []);
  expectNone(findings);
});

/** All modules that `entry` loads. */
function loadedBy(entry: string, lazyToo: boolean): Set<string> {
  const loaded = new Set<string>();
  const rest = [entry];
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    for (const { target, typeOnly, lazy } of byPath.get(path)?.imports ?? []) {
      if (!typeOnly && (lazyToo || !lazy)) rest.push(target);
    }
  }
  return loaded;
}

test("help loads little, and serving never loads the compiler", () => {
  const light =
    /^(cli\/|node:|runtime\/(base|settings)\/|runtime\/http\/network\.|argspec\/client-languages)/;
  const help = [...loadedBy("cli/main.ts", false)];
  expectNone(help.filter((path) => !light.test(path)));
  const heavy = /^(compiler\/|ts-morph|typescript|esbuild)/;
  const serving = [...loadedBy("cli/serve.ts", true), ...loadedBy("runtime/index.ts", true)];
  expectNone(serving.filter((path) => heavy.test(path)));
});

const ENTRIES = new Set([
  ...[...readFileSync(join(ROOT, "tsup.config.ts"), "utf8").matchAll(/: "([\w/-]+\.ts)"/g)].map(
    ([, path]) => path!,
  ),
  ...[...readFileSync(join(ROOT, "scripts/build.mjs"), "utf8").matchAll(/"([\w/-]+\.ts)"/g)].map(
    ([, path]) => path!,
  ),
  // Bundled for browsers by scripts/console.mjs.
  "console/main.tsx",
  // Found by folder: `npm run build` compiles them with our own compiler.
  ...product
    .map(({ path }) => path)
    .filter((path) => /^runtime\/builtin\/(graph-)?plugins\//.test(path)),
]);

test("every module is reachable, and every exported value is used elsewhere", () => {
  const reached = new Set<string>();
  const used = new Set<string>();
  function reach(module: Module | undefined): void {
    if (module === undefined || reached.has(module.path)) return;
    reached.add(module.path);
    for (const { target } of module.imports) reach(byPath.get(target));
  }
  for (const entry of ENTRIES) reach(byPath.get(entry));
  for (const { imports } of modules) {
    for (const { target, names } of imports)
      for (const name of names) used.add(`${target}#${name}`);
  }
  const findings = product
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => `${path}: no entry leads here`);
  for (const { path, exports } of product) {
    if (ENTRIES.has(path) || used.has(`${path}#*`)) continue;
    for (const { name, line } of exports) {
      if (!used.has(`${path}#${name}`)) findings.push(`${path}:${line}: nobody imports ${name}`);
    }
  }
  expectNone(findings);
});

test("every error code is used and tested", () => {
  const tables = /^runtime\/base\/\w+-codes\.ts$/;
  const sources = files.filter(({ path }) => /^(bin|cli|compiler|runtime)\//.test(path));
  const used = sources.filter(({ path }) => !tables.test(path)).map(({ text }) => text);
  const tests = files.filter(({ path }) => /^test\/.*\.ts$/.test(path)).map(({ text }) => text);
  const findings = Object.keys(ERROR_CODES).flatMap((name) => [
    ...(used.some((text) => text.includes(name)) ? [] : [`${name} is never used`]),
    ...(tests.some((text) => text.includes(name)) ? [] : [`${name} is not tested`]),
  ]);
  const codes = [...used, ...tests].join("\n").matchAll(/\bSVC[123]\d{3}\b/g);
  for (const name of new Set([...codes].map(([name]) => name))) {
    if (!Object.hasOwn(ERROR_CODES, name)) findings.push(`${name} is not in the table`);
  }
  for (const { path, text } of sources.filter(({ path }) => tables.test(path))) {
    const names = [...text.matchAll(/^ {2}(SVC\d{4}):/gm)].map(([, name]) => name!);
    const misplaced = names.find((name, index) => name < (names[index - 1] ?? ""));
    if (misplaced !== undefined) findings.push(`${path}: ${misplaced} is out of order`);
  }
  expectNone(findings);
});

test("the lock file holds the packages of every platform, which `npm ci` requires", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const findings = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) =>
          ![`node_modules/${name}`, `${path}/node_modules/${name}`].some((key) => key in packages),
      )
      .map((name) => `${path}: ${name}`),
  );
  expectNone(findings);
});

/**
 * Folders form layers: ARCHITECTURE.md lists which one imports values of which others, without
 * cycles. Types may be imported from everywhere.
 */
const layering = suite("layers");
const document = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

interface Use {
  readonly path: string;
  readonly line: number;
  readonly target: string;
  readonly lazy: boolean;
}

/** Every import by a file of the product from another one. */
const imports = product
  .filter(({ path }) => /^(argspec|cli|client|compiler|runtime)\/.*\.ts$/.test(path))
  .flatMap(({ path, imports: imported }) =>
    imported.map(({ target, typeOnly, lazy, line }) => ({ path, line, target, typeOnly, lazy })),
  );
/** Those of values. */
const uses: Use[] = imports.filter(({ typeOnly }) => !typeOnly);

/** `graph/store` of `runtime/graph/store/codec.ts`; grouping folders do not count. */
function roomName(path: string): string | null {
  const [, room] = /^runtime\/(graph\/query\/\w+|graph\/\w+|plugin\/\w+|\w+)\//.exec(path) ?? [];
  return room ?? null;
}

/** The folder directly below `runtime/`. */
function wingName(path: string): string | null {
  return /^runtime\/(\w+)\//.exec(path)?.[1] ?? null;
}

layering("folders of runtime import values of each other as ARCHITECTURE.md lists", () => {
  const [, table = ""] = document.split("| Folder | Imports values of |");
  const rows = [...table.matchAll(/^\| `runtime\/(\w+)\/` \| (.*) \|$/gm)];
  const documented = rows.flatMap(([, from, targets]) =>
    [...targets!.matchAll(/`(\w+)`/g)].map(([, to]) => `${from} -> ${to}`),
  );
  const actual = new Set<string>();
  for (const { path, target } of uses) {
    const from = wingName(path);
    const to = wingName(target);
    // Every thread has a composition root, which may use everything.
    if (from === null || to === null || from === "threads" || from === to) continue;
    actual.add(`${from} -> ${to}`);
  }
  assert.equal([...actual].sort(), documented.sort());
});

layering("imports of values between folders have no cycles", () => {
  const edges = new Map<string, Map<string, Use>>();
  for (const use of uses) {
    const from = roomName(use.path);
    const to = roomName(use.target);
    if (from === null || to === null || from === to || from === "threads") continue;
    const known = edges.get(from) ?? new Map<string, Use>();
    edges.set(from, known.set(to, known.get(to) ?? use));
  }
  const findings: string[] = [];
  const done = new Set<string>();
  function visit(room: string, trail: readonly string[]): void {
    const start = trail.indexOf(room);
    if (start >= 0) {
      const circle = [...trail.slice(start), room];
      const steps = circle.slice(1).map((to, index) => edges.get(circle[index]!)!.get(to)!);
      const shown = steps.map(({ path, line, target }) => `  ${path}:${line}: ${target}`);
      findings.push([circle.join(" -> "), ...shown].join("\n"));
    }
    if (start >= 0 || done.has(room)) return;
    for (const to of edges.get(room)?.keys() ?? []) visit(to, [...trail, room]);
    done.add(room);
  }
  for (const room of edges.keys()) visit(room, []);
  assert.is(findings.join("\n"), "");
});

layering("folders within graph import values of lower ones in ARCHITECTURE.md", () => {
  const [, table = ""] = document.split("| Layers of `runtime/graph/` |");
  const layers = [...table.matchAll(/^\| (`.*`) \|$/gm)].map(([, cell]) =>
    [...cell!.matchAll(/`([\w/]+)`/g)].map(([, name]) => `graph/${name}`),
  );
  const levels = new Map(layers.flatMap((names, level) => names.map((name) => [name, level])));
  const findings: string[] = [];
  for (const { path, line, target } of uses) {
    const [from, to] = [roomName(path), roomName(target)];
    if (!from?.startsWith("graph/") || !to?.startsWith("graph/") || from === to) continue;
    const [above, below] = [levels.get(from), levels.get(to)];
    const missing = above === undefined ? from : to;
    if (above === undefined || below === undefined) findings.push(`${missing} is in no layer`);
    else if (above >= below) findings.push(`${path}:${line}: ${target} is not below`);
  }
  assert.is([...new Set(findings)].join("\n"), "");
});

/** The graph engine, without and with queries: two thirds of the code of a thread. */
const GRAPH_ENGINE = ["runtime/graph/store/graph-store.ts", "runtime/graph/api/graph.ts"];

layering("threads that may never have a graph do not load the graph engine at their start", () => {
  const loaded = uses.filter(({ lazy }) => !lazy);
  for (const entry of ["cli/serving/serve-build.ts", "threads/executor.ts", "threads/io.ts"]) {
    /** Each module that the entry loads, and the one that imports it. */
    const from = new Map(
      uses.filter(({ path }) => path.endsWith(entry)).map((use) => [use.path, ""]),
    );
    assert.is(from.size, 1, entry);
    for (const [path] of from) {
      for (const use of loaded)
        if (use.path === path && !from.has(use.target)) from.set(use.target, path);
    }
    for (const part of GRAPH_ENGINE) {
      let trail = "";
      for (let ancestor = part; from.has(ancestor); ancestor = from.get(ancestor)!)
        trail += ` <- ${ancestor}`;
      assert.is(trail, "", entry);
    }
  }
});

/** Folders of the graph engine that others import from, as ARCHITECTURE.md lists them. */
const [, entryPoints = ""] =
  /^\* Other folders import values and types of `graph` from([^*]*)\n\n/m.exec(document) ?? [];
const DOORS = [...entryPoints.matchAll(/`(graph\/\w+)`/g)].map(([, name]) => name!);

layering("other folders import graph through its entry points", () => {
  assert.ok(DOORS.length > 0);
  const findings = imports.filter(({ path, target }) => {
    const isEntering = wingName(target) === "graph" && wingName(path) !== "graph";
    return isEntering && !DOORS.includes(roomName(target)!);
  });
  assert.is(findings.map(({ path, line, target }) => `${path}:${line}: ${target}`).join("\n"), "");
});

test.run();
layering.run();
