// Walks every path table of the interface: each path exists.

import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTIN_ALIASES, services } from "../../../runtime/builtin/services.js";

const test = suite("interface paths");

const INTERFACE_PATHS = [
  ...["hc", "ping", "time", "storage", "graphsum", "objcnt", "status", "txstat", "peerstat"],
  ...["meminfo", "nodestat", "matrix", "dispatch", "inspect", "randstr", "randint"],
  ...["plugins", "builtins"],
  ...["builtin/matrixplugins", "builtin/argspec"],
  ...["builtin/arcs", "builtin/evaluate", "builtin/eventbacklog", "builtin/graphinfo"],
  ...[
    "builtin/memory",
    "builtin/nearest",
    "builtin/neighbor",
    "builtin/properties",
    "builtin/vertex",
  ],
  ...["builtin/vertices"],
  ...["builtin/connect", "builtin/createvertex", "builtin/deletevertex", "builtin/disconnect"],
  ...["builtin/echo", "builtin/metrics", "builtin/ping", "builtin/status"],
  ...["builtin/Identify", "builtin/MatrixObjects"],
  ...["builtin/system_counts", "builtin/system_descriptor", "builtin/system_overview"],
  ...["builtin/system_rates"],
].map((name) => `/svc/${name}`);

/** Paths of the built-in plugins of one folder, by the tags in their sources. */
function pluginPaths(name: string): string[] {
  const folder = new URL(`../../../runtime/builtin/${name}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const source = readFileSync(new URL(file, folder), "utf8");
    return [...source.matchAll(/^ \* @plugin (\w+)$/gm)].map(([, name]) => `/svc/builtin/${name}`);
  });
}

const plugins = [...pluginPaths("plugins"), ...pluginPaths("graph-plugins")];
const built = [...services.keys(), ...BUILTIN_ALIASES.keys(), ...plugins];

test("finds 44 paths in the tables", () => {
  assert.is(new Set(INTERFACE_PATHS).size, 44);
});

test("implements each path", () => {
  for (const path of INTERFACE_PATHS) assert.ok(built.includes(path), path);
});

test("registers each path once, and maps aliases to plugins", () => {
  assert.is(new Set(built).size, built.length);
  for (const target of BUILTIN_ALIASES.values()) assert.ok(plugins.includes(target), target);
});

test.run();
