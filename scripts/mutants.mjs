// Measures how well tests hold the guards of a folder: changes one operator or guard of its code
// at a time and runs its unit tests; a change that no test notices survives.
//
//   node scripts/mutants.mjs runtime/trunk [--tests part of a path]... [--sample 40] [--seed 1]
//
// It works on a copy of the repository. Without `--tests`, it runs the tests of the same folder
// below test/, or of its nearest parent that has some.

import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Project, SyntaxKind } from "ts-morph";
import { atExit } from "./at-exit.mjs";

const USAGE =
  "usage: node scripts/mutants.mjs FOLDER [--tests PART]... [--sample NUMBER] [--seed NUMBER]";
/** Added to three times the duration of the unchanged tests. */
const LEAST_LIMIT_MS = 10_000;
/** Replacements of a binary operator. */
const OPERATORS = new Map([
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["+", ["-"]],
  ["-", ["+"]],
]);
/** Calls whose absence no test needs to notice. */
const UNCHECKED = /^(?:assert|log|warn|this\.#(?:log|warn)|\w+\.warn|console\.\w+)$/;

/** Folders that no test changes. */
const LINKED = new Set(["node_modules", "dist"]);

const root = dirname(import.meta.dirname);
const options = readOptions();
const mutants = sample(findMutants(options.folder), options);
const copy = copyRepository();
/** The test runner, which ends with this process. */
let running = null;
atExit(() => {
  running?.kill("SIGTERM");
  rmSync(copy, { recursive: true, force: true });
});
process.exitCode = (await run()) ? 0 : 1;

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        tests: { type: "string", multiple: true, default: [] },
        sample: { type: "string", default: "0" },
        seed: { type: "string", default: "1" },
      },
    });
    const [folder] = positionals;
    if (positionals.length !== 1 || !existsSync(join(root, folder))) throw new Error(USAGE);
    const [size, seed] = [Number(values.sample), Number(values.seed)];
    if (!Number.isSafeInteger(size) || !Number.isSafeInteger(seed)) throw new Error(USAGE);
    return { folder: folder.replace(/\/$/, ""), tests: values.tests, size, seed };
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** Returns all changes of a folder: file, offsets, new text, line. */
function findMutants(folder) {
  const project = new Project({ skipAddingFilesFromTsConfig: true });
  const pattern = folder.endsWith(".ts") ? folder : `${folder}/**/*.ts`;
  project.addSourceFilesAtPaths(join(root, pattern));
  return project.getSourceFiles().flatMap((file) => {
    const path = relative(root, file.getFilePath());
    if (path.includes(".generated")) return [];
    return file.getDescendants().flatMap((node) =>
      mutate(node).map(([target, text]) => ({
        path,
        ...{ start: target.getStart(), end: target.getEnd(), text },
        ...{ line: target.getStartLineNumber(), before: target.getText() },
      })),
    );
  });
}

/** Returns the replacements of one node, as pairs of a node and its new text. */
function mutate(node) {
  if (isAsserted(node)) return [];
  switch (node.getKind()) {
    case SyntaxKind.IfStatement:
      return [[node.getExpression(), "false"]];
    case SyntaxKind.ConditionalExpression:
      return [
        [node.getCondition(), "false"],
        [node.getCondition(), "true"],
      ];
    case SyntaxKind.BinaryExpression:
      return mutateBinary(node);
    case SyntaxKind.CallExpression:
      return mutateCall(node);
    case SyntaxKind.ExpressionStatement:
      return mutateStatement(node);
    case SyntaxKind.TrueKeyword:
      return isType(node) ? [] : [[node, "false"]];
    case SyntaxKind.FalseKeyword:
      return isType(node) ? [] : [[node, "true"]];
    default:
      return [];
  }
}

/** An assertion that holds is not noticed. */
function isAsserted(node) {
  const call = node.getFirstAncestorByKind(SyntaxKind.CallExpression);
  return call?.getExpression().getText() === "assert";
}

function isType(node) {
  return node.getParent().getKind() === SyntaxKind.LiteralType;
}

function mutateBinary(node) {
  const operator = node.getOperatorToken();
  const text = operator.getText();
  if (text === "&&" || text === "||" || text === "??") {
    return [node.getLeft(), node.getRight()].map((side) => [node, `(${side.getText()})`]);
  }
  const isText = [node.getLeft(), node.getRight()].some((side) => /["'`]/.test(side.getText()));
  if (text === "+" && isText) return [];
  return (OPERATORS.get(text) ?? []).map((other) => [operator, other]);
}

function mutateCall(node) {
  const called = node.getExpression();
  const swapped = { "Math.min": "Math.max", "Math.max": "Math.min" }[called.getText()];
  return swapped === undefined ? [] : [[called, swapped]];
}

/** Removes a call or an assignment. */
function mutateStatement(node) {
  const expression = node.getExpression();
  const isCall = expression.getKind() === SyntaxKind.CallExpression;
  if (isCall && UNCHECKED.test(expression.getExpression().getText())) return [];
  return /^super\b/.test(expression.getText()) ? [] : [[node, ";"]];
}

/** Returns `size` of them, or all for 0, in an order that the seed decides. */
function sample(all, { size, seed }) {
  if (size === 0 || size >= all.length) return all;
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const keyed = all.map((mutant) => [random(), mutant]).sort(([a], [b]) => a - b);
  return keyed.slice(0, size).map(([, mutant]) => mutant);
}

function copyRepository() {
  const folder = mkdtempSync(join(tmpdir(), "svc-mutants-"));
  for (const name of readdirSync(root)) {
    if (name === ".git") continue;
    if (LINKED.has(name)) symlinkSync(join(root, name), join(folder, name));
    else cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  return folder;
}

/** Runs the tests with each change; returns whether none survived. */
async function run() {
  const files = listTests();
  const begun = performance.now();
  const unchanged = await runTests(files, 600_000);
  if (unchanged !== "SURVIVED") throw new Error(`the tests fail without any change: ${unchanged}`);
  const limitMs = 3 * (performance.now() - begun) + LEAST_LIMIT_MS;
  const survivors = [];
  let done = 0;
  let timedOut = 0;
  for (const mutant of mutants) {
    const file = join(copy, mutant.path);
    const source = readFileSync(file, "utf8");
    writeFileSync(file, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
    const fate = await runTests(files, limitMs);
    writeFileSync(file, source);
    done++;
    if (fate === "SURVIVED") survivors.push(mutant);
    if (fate === "timed out") timedOut++;
    console.log(`${done}/${mutants.length} ${fate} ${describe(mutant)}`);
  }
  const killed = done - survivors.length;
  const share = `${killed} of ${done} killed (${percent(killed, done)})`;
  console.log(`\n${options.folder}: ${share}, ${timedOut} of them by the time limit`);
  for (const mutant of survivors) console.log(`  ${describe(mutant)}`);
  return survivors.length === 0;
}

function listTests() {
  const all = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "test"], { cwd: root })
    .toString()
    .split("\n")
    .filter((path) => path.endsWith(".test.ts"));
  const parts = options.tests.length > 0 ? options.tests : [folderOfTests(all)];
  const paths = all.filter((path) => parts.some((part) => path.includes(part)));
  if (paths.length === 0) throw new Error(`no test file has ${parts.join(" or ")} in its path`);
  return paths;
}

/** Returns the mirrored folder below test/, or its nearest parent that has tests. */
function folderOfTests(all) {
  for (let folder = options.folder; folder !== "."; folder = dirname(folder)) {
    const exact = `test/${folder.replace(/\.ts$/, ".test.ts")}`;
    if (all.includes(exact)) return exact;
    const inside = `test/${folder}/`;
    if (all.some((path) => path.startsWith(inside))) return inside;
  }
  throw new Error(`no tests of ${options.folder}`);
}

/** Runs all test files at once, until the first one fails; returns the fate of the change. */
function runTests(paths, limitMs) {
  return new Promise((resolve) => {
    const stdio = ["ignore", "pipe", "ignore"];
    const child = spawn(process.execPath, ["test/run.mjs", ...paths], { cwd: copy, stdio });
    running = child;
    // The runner kills the process groups of its tests; after SIGKILL, endless tests would stay.
    let fate = "killed";
    const timer = setTimeout(() => {
      fate = "timed out";
      child.kill("SIGTERM");
    }, limitMs);
    child.stdout.setEncoding("utf8").on("data", (text) => {
      if (/^FAIL /m.test(text)) child.kill("SIGTERM");
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? "SURVIVED" : fate);
    });
  });
}

function describe({ path, line, before, text }) {
  const short = (given) => given.replace(/\s+/g, " ").slice(0, 60);
  return `${path}:${line}: ${short(before)} → ${short(text)}`;
}

function percent(part, all) {
  return all === 0 ? "none" : `${Math.floor((part / all) * 100)} %`;
}
