// Measures how well tests hold the guards of a folder: changes one operator or guard of its code
// at a time and runs its tests; a change that no test notices survives.
//
//   node scripts/mutants.mjs runtime/trunk [--tests part of a path]... [--sample 40] [--seed 1]
//
// It works on a copy of the repository. Without `--tests`, these are the tests of the same folder
// below test/, or of its nearest parent that has some, and the property tests that import one of
// its files. Quick tests that import the changed file run first: they notice most changes.

import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
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
/** Added to three times the duration of the unchanged tests that run at once. */
const MIN_LIMIT_MS = 30_000;
/** Of a test file. */
const LONG_MS = 4_000;
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

/** Lines of the test runner. */
const PASSED = /^ok +(\S+) .*?(\d+) ms/gm;
const FAILED = /^FAIL +test\/(\S+)\.test\.ts/m;
const IMPORT = /\b(?:from |import\()"(\.[^"]+)\.js"/g;

/** Folders that no test changes. */
const LINKED = new Set(["node_modules", "dist"]);

const root = dirname(import.meta.dirname);
const options = readOptions();
const mutants = sample(findMutants(options.folder), options);
const copy = copyRepository();
/** Of test files that passed. */
const durationsMs = new Map();
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
  for (const name of LINKED) symlinkSync(join(root, name), join(folder, name));
  for (const name of new Set(listFiles(".").map((path) => path.split("/")[0]))) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  return folder;
}

/** Returns the files of a folder that git knows, or would. */
function listFiles(folder) {
  const words = ["ls-files", "-co", "--exclude-standard", folder];
  const paths = execFileSync("git", words, { cwd: root }).toString().split("\n");
  return paths.filter((path) => path !== "" && existsSync(join(root, path)));
}

/** Runs the tests with each change; returns whether none survived. */
async function run() {
  const tests = listTests();
  const begun = performance.now();
  const unchanged = await runTests([...tests.keys()], 600_000);
  if (unchanged !== "SURVIVED:") throw new Error(`the tests fail without any change: ${unchanged}`);
  const limitMs = 3 * (performance.now() - begun) + MIN_LIMIT_MS;
  const survivors = [];
  let done = 0;
  let timedOut = 0;
  for (const mutant of mutants) {
    const file = join(copy, mutant.path);
    const source = readFileSync(file, "utf8");
    writeFileSync(file, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
    const fate = await runInTurn(nearestFirst(tests, mutant.path), limitMs);
    writeFileSync(file, source);
    done++;
    if (fate === "SURVIVED:") survivors.push(mutant);
    if (fate === "timed out:") timedOut++;
    console.log(`${done}/${mutants.length} ${fate} ${describe(mutant)}`);
  }
  const killed = done - survivors.length;
  const share = `${killed} of ${done} killed (${percent(killed, done)})`;
  console.log(`\n${options.folder}: ${share}, ${timedOut} of them by the time limit`);
  for (const mutant of survivors) console.log(`  ${describe(mutant)}`);
  return survivors.length === 0;
}

/** Returns the test files, each with the modules that it imports. */
function listTests() {
  const all = listFiles("test").filter((path) => path.endsWith(".test.ts"));
  const imports = new Map(all.map((path) => [path, importedModules(path)]));
  const { tests: parts, folder } = options;
  const isOfFolder = (path) => path === folder || path.startsWith(`${folder}/`);
  const isPropertyTest = (path) =>
    path.startsWith("test/property/") && [...imports.get(path)].some(isOfFolder);
  const own = parts.length > 0 ? parts : [folderOfTests(all)];
  const isChosen = (path) =>
    own.some((part) => path.includes(part)) || (parts.length === 0 && isPropertyTest(path));
  const chosen = [...imports].filter(([path]) => isChosen(path));
  if (chosen.length === 0) throw new Error(`no test file has ${own.join(" or ")} in its path`);
  return new Map(chosen);
}

/** Returns the modules that a test file imports, also through its support files. */
function importedModules(path, found = new Set()) {
  const text = readFileSync(join(root, path), "utf8");
  for (const [, specifier] of text.matchAll(IMPORT)) {
    const module = `${join(dirname(path), specifier)}.ts`;
    if (found.has(module) || !existsSync(join(root, module))) continue;
    found.add(module);
    if (module.startsWith("test/")) importedModules(module, found);
  }
  return found;
}

/** Returns lists of test files: quick ones of the changed file, other quick ones, long ones. */
function nearestFirst(tests, changed) {
  const lists = [[], [], []];
  for (const [path, modules] of tests) {
    if (durationsMs.get(path) > LONG_MS) lists[2].push(path);
    else lists[modules.has(changed) ? 0 : 1].push(path);
  }
  return lists.filter((list) => list.length > 0);
}

/** Runs lists of test files, until a test notices the change. */
async function runInTurn(lists, limitMs) {
  let fate = "SURVIVED:";
  for (const list of lists) {
    const ownMs = 3 * sum(list.map((path) => durationsMs.get(path))) + MIN_LIMIT_MS;
    if (fate === "SURVIVED:") fate = await runTests(list, Math.min(limitMs, ownMs));
  }
  return fate;
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
    const env = { ...process.env, STOP_AT_FAILURE: "1" };
    const child = spawn(process.execPath, ["test/run.mjs", ...paths], { cwd: copy, env, stdio });
    running = child;
    // The runner kills the process groups of its tests; after SIGKILL, endless tests would stay.
    let fate = "killed:";
    const timer = setTimeout(() => {
      fate = "timed out:";
      child.kill("SIGTERM");
    }, limitMs);
    child.stdout.setEncoding("utf8").on("data", (text) => {
      for (const [, path, ms] of text.matchAll(PASSED)) durationsMs.set(path, Number(ms));
      const failed = FAILED.exec(text);
      if (failed === null) return;
      fate = `killed by ${failed[1]}:`;
      child.kill("SIGTERM");
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? "SURVIVED:" : fate);
    });
  });
}

function describe({ path, line, before, text }) {
  const short = (given) => given.replace(/\s+/g, " ").slice(0, 60);
  return `${path}:${line}: ${short(before)} → ${short(text)}`;
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function percent(part, all) {
  return all === 0 ? "none" : `${Math.floor((part / all) * 100)} %`;
}
