// Tells whether dist/ was built from the present sources, by a record in .generated/.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";

export const FOLDERS = [
  "argspec",
  "bin",
  "cli",
  "client",
  "compiler",
  "console",
  "runtime",
  "scripts",
];
const FILES = [
  ...["package.json", "package-lock.json", "node_modules/.package-lock.json"],
  ...["tsconfig.json", "tsconfig.build.json", "tsup.config.ts"],
];
const GENERATED = ".generated";
const RECORD = join(GENERATED, "build.json");

/** Returns a hash of all files that a build reads, and of the version of Node.js. */
export function hashSources(root) {
  const sources = listFiles(root).filter((file) => !isGenerated(file));
  return hashFiles(root, [...sources, ...FILES.map((file) => join(root, file))]);
}

/** Lists the files of the folders, with the modules that a build generates there. */
function listFiles(root) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  ).sort();
}

function isGenerated(file) {
  return file.split(sep).includes(GENERATED);
}

function hashFiles(root, files) {
  const hash = createHash("sha256").update(process.version);
  for (const file of files) {
    const content = readOrEmpty(file);
    hash.update(`${file.slice(root.length)} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Returns whether dist/ and the generated modules are the result of a build of these sources. */
export function isCurrent(root, sources) {
  const record = readOrEmpty(join(root, RECORD)).toString();
  return record !== "" && record === describeBuild(root, sources);
}

/** Records that dist/ is the result of a build of these sources. */
export function recordBuild(root, sources) {
  const file = join(root, RECORD);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, describeBuild(root, sources));
}

function describeBuild(root, sources) {
  const id = readOrEmpty(join(root, "dist/build-id")).toString().trim();
  const generated = hashFiles(root, listFiles(root).filter(isGenerated));
  return JSON.stringify({ sources, generated, dist: id });
}

function readOrEmpty(file) {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
