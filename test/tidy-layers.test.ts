// Folders form layers: ARCHITECTURE.md lists which one imports values of which others, without
// cycles. Types may be imported from everywhere.
// limit: 60 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseModule, ROOT, sourceFiles } from "./support/source-files.js";

const test = suite("layers");
const document = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

interface Use {
  readonly path: string;
  readonly line: number;
  readonly target: string;
  readonly lazy: boolean;
}

/** Every import by a file of the product from another one. */
const imports = sourceFiles()
  .filter(({ path }) => /^(argspec|cli|client|compiler|runtime)\/.*\.ts$/.test(path))
  .map(parseModule)
  .flatMap(({ path, imports: found }) =>
    found.map(({ target, typeOnly, lazy, line }) => ({ path, line, target, typeOnly, lazy })),
  );
/** Those of values. */
const uses: Use[] = imports.filter(({ typeOnly }) => !typeOnly);

/** `graph/store` of `runtime/graph/store/codec.ts`; grouping folders do not count. */
function roomOf(path: string): string | null {
  const [, room] = /^runtime\/(graph\/query\/\w+|graph\/\w+|plugin\/\w+|\w+)\//.exec(path) ?? [];
  return room ?? null;
}

/** The folder directly below `runtime/`. */
function wingOf(path: string): string | null {
  return /^runtime\/(\w+)\//.exec(path)?.[1] ?? null;
}

test("folders of runtime import values of each other as ARCHITECTURE.md lists", () => {
  const [, table = ""] = document.split("| Folder | Imports values of |");
  const rows = [...table.matchAll(/^\| `runtime\/(\w+)\/` \| (.*) \|$/gm)];
  const documented = rows.flatMap(([, from, targets]) =>
    [...targets!.matchAll(/`(\w+)`/g)].map(([, to]) => `${from} -> ${to}`),
  );
  const actual = new Set<string>();
  for (const { path, target } of uses) {
    const from = wingOf(path);
    const to = wingOf(target);
    // Every thread has a composition root, which may use everything.
    if (from === null || to === null || from === "threads" || from === to) continue;
    actual.add(`${from} -> ${to}`);
  }
  assert.equal([...actual].sort(), documented.sort());
});

test("imports of values between folders have no cycles", () => {
  const edges = new Map<string, Map<string, Use>>();
  for (const use of uses) {
    const from = roomOf(use.path);
    const to = roomOf(use.target);
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

test("folders within graph import values of lower ones in ARCHITECTURE.md", () => {
  const [, table = ""] = document.split("| Layers of `runtime/graph/` |");
  const layers = [...table.matchAll(/^\| (`.*`) \|$/gm)].map(([, cell]) =>
    [...cell!.matchAll(/`([\w/]+)`/g)].map(([, name]) => `graph/${name}`),
  );
  const levels = new Map(layers.flatMap((names, level) => names.map((name) => [name, level])));
  const findings: string[] = [];
  for (const { path, line, target } of uses) {
    const [from, to] = [roomOf(path), roomOf(target)];
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

test("threads that may never have a graph do not load the graph engine at their start", () => {
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
      for (let at = part; from.has(at); at = from.get(at)!) trail += ` <- ${at}`;
      assert.is(trail, "", entry);
    }
  }
});

/** Folders of the graph engine that others import from, as ARCHITECTURE.md lists them. */
const [, entryPoints = ""] =
  /^\* Other folders import values and types of `graph` from([^*]*)\n\n/m.exec(document) ?? [];
const DOORS = [...entryPoints.matchAll(/`(graph\/\w+)`/g)].map(([, name]) => name!);

test("other folders import graph through its entry points", () => {
  assert.ok(DOORS.length > 0);
  const findings = imports.filter(({ path, target }) => {
    const isEntering = wingOf(target) === "graph" && wingOf(path) !== "graph";
    return isEntering && !DOORS.includes(roomOf(target)!);
  });
  assert.is(findings.map(({ path, line, target }) => `${path}:${line}: ${target}`).join("\n"), "");
});

test.run();
