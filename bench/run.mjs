// Runs the named benchmarks, or a full run, one after another: `node run.mjs [name...]`. Each gets
// the options. Exits with 1 if a target was missed.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const GRAPH = [
  "graph",
  "reference",
  "graph-queries",
  "expressions",
  "search",
  "capacity",
  "graph-threads",
  "vector-threads",
  "search-threads",
  "graph-log",
  "feed",
  "replication",
  "graph-load",
];
const NAMES = [
  "build",
  "clients",
  "start",
  "cpu",
  "http",
  "auth",
  "boundaries",
  "uploads",
  "merge",
  "dispatch",
  "replicas",
  "production",
  ...GRAPH,
];
/** Not part of a full run. */
const BY_NAME_ONLY = [
  "guard",
  "vectors",
  "ranking",
  "health",
  "fleet",
  "grow",
  "grow-system",
  "failover",
  "outages",
  "restores",
  "empty-replicas",
  "graph-100m",
  "graph-paths",
  "graph-constraints",
  "graph-algorithms",
];

const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("-"));
const names = firstOption < 0 ? words : words.slice(0, firstOption);
const options = firstOption < 0 ? [] : words.slice(firstOption);
const known = [...NAMES, ...BY_NAME_ONLY];
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`no benchmark is called ${unknown}, there are: ${known.join(", ")}`);
  process.exit(1);
}
for (const name of names.length > 0 ? names : NAMES) {
  console.log(`== ${name}`);
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
