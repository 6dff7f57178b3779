// Options of `node test/run.mjs`: parts of paths, and how to run the matching files. `npm test --`
// and `npm run test:unit --` accept the same options.

import { parseArgs } from "node:util";

export const USAGE = `node test/run.mjs [options] [part of a path]...

  --unit          run quick tests only, without server suites and property tests
  --name <text>   run only tests whose title contains this text
  --serial        run one file after the other
  --long          repeat tests with random input, kills and faults 50 times as often
  --simulate <n>  run only the simulations, one after the other on all cores: n seeds of
                  leadership and of all replication
`;

const SIMULATIONS = ["property/leadership-simulation", "property/interconnect-simulation"];

/**
 * @returns {{ parts: string[], unit: boolean, name: string, serial: boolean, long: boolean,
 *   simulate: string }}
 */
export function readOptions(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      unit: { type: "boolean", default: false },
      name: { type: "string", default: "" },
      serial: { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      simulate: { type: "string", default: "" },
    },
  });
  if (values.simulate === "") return { ...values, parts: positionals };
  if (!/^[1-9]\d{0,6}$/.test(values.simulate))
    throw new Error("--simulate needs a number of seeds");
  const named = SIMULATIONS.filter((path) => positionals.some((part) => path.includes(part)));
  if (positionals.length > 0 && named.length === 0)
    throw new Error(`the simulations are ${SIMULATIONS.join(" and ")}`);
  // Each takes all cores.
  return { ...values, parts: named.length > 0 ? named : SIMULATIONS, serial: true };
}

const SERVER_SUITE = /^test\/(e2e|conformance)\//;
const NO_SUITES = /^test\/(fixtures|golden|openapi|releases|uws|runner)\/|\/node_modules\//;
/** Declared in the header comment of a file. */
const STARTS_PROCESSES = /^\/\/ starts processes$/m;

/** The same: its duration on an idle machine, if more than 3 s. */
const TAKES = /^\/\/ takes (\d+) s$/m;

/** 0 for a file without a declaration. */
export function readSeconds(source) {
  return Number(TAKES.exec(source)?.[1] ?? 0);
}

export function isServerSuite(file) {
  return SERVER_SUITE.test(file);
}

/** Whether a file is a suite of this repository; others run only by their full path. */
export function isSuite(file) {
  return file.endsWith(".test.ts") && !NO_SUITES.test(file);
}

export function isUnit(file, source) {
  if (isServerSuite(file) || file.startsWith("test/property/")) return false;
  return !STARTS_PROCESSES.test(source) && readSeconds(source) === 0;
}
