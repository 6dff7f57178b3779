// What `node test/run.mjs` is told: parts of paths, and how to run the files that have one of them.
// The same words are those of `npm test --` and `npm run test:unit --`.

import { parseArgs } from "node:util";

export const USAGE = `node test/run.mjs [options] [part of a path]...

  --unit          what is quick and starts no process: neither server suites nor property tests
  --name <text>   tests alone whose title has this text
  --serial        one file after the other
`;

/** @returns {{ parts: string[], unit: boolean, name: string, serial: boolean }} */
export function readOptions(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      unit: { type: "boolean", default: false },
      name: { type: "string", default: "" },
      serial: { type: "boolean", default: false },
    },
  });
  return { ...values, parts: positionals };
}

const SERVER_SUITE = /^test\/(e2e|conformance)\//;
const NO_SUITES = /^test\/(fixtures|golden|openapi|uws|runner)\/|\/node_modules\//;
/** A file says so in its header comment. */
const STARTS_PROCESSES = /^\/\/ starts processes$/m;

/** The same: it builds in the folders of examples/, where no other may at that time. */
const BUILDS_EXAMPLES = /^\/\/ builds examples$/m;

export function buildsExamples(source) {
  return BUILDS_EXAMPLES.test(source);
}

/** The same: about so long on a machine that does nothing else, where that is more than 3 s. */
const TAKES = /^\/\/ takes (\d+) s$/m;

/** 0 for a file that does not say. */
export function secondsOf(source) {
  return Number(TAKES.exec(source)?.[1] ?? 0);
}

export function isServerSuite(file) {
  return SERVER_SUITE.test(file);
}

/** Whether a file is a suite of this repository's; the others run where they are named whole. */
export function isSuite(file) {
  return file.endsWith(".test.ts") && !NO_SUITES.test(file);
}

export function isUnit(file, source) {
  if (isServerSuite(file) || file.startsWith("test/property/")) return false;
  return !STARTS_PROCESSES.test(source) && secondsOf(source) === 0;
}
