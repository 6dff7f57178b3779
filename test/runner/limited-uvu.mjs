// `uvu` with a time limit for every test and hook. uvu has none of its own, and it hides the error
// of a hook that fails before the tests; here it is printed.

import { suite as uvuSuite } from "uvu";
import { currentLimitMs, isWanted } from "./current-limit.mjs";

/** Tests may replace the global ones. */
const { setTimeout, clearTimeout } = globalThis;

export function suite(name, state) {
  const innerSuite = uvuSuite(name, state);
  const test = (title, handler) => {
    if (isWanted(title)) innerSuite(title, untilFailure(limited(title, handler)));
  };
  test.only = (title, handler) => innerSuite.only(title, limited(title, handler));
  test.skip = innerSuite.skip;
  test.before = (handler) => innerSuite.before(reported("before", handler));
  test.before.each = (handler) => innerSuite.before.each(reported("before each", handler));
  test.after = (handler) => innerSuite.after(reported("after", handler));
  test.after.each = (handler) => innerSuite.after.each(reported("after each", handler));
  test.run = innerSuite.run;
  return test;
}

export const test = suite();

let hasFailed = false;

/** With STOP_AT_FAILURE, tests after one that has failed do nothing. */
function untilFailure(run) {
  return async (state) => {
    if (hasFailed && process.env.STOP_AT_FAILURE) return;
    hasFailed = true;
    await run(state);
    hasFailed = false;
  };
}

function limited(title, handler) {
  return async (state) => {
    const limitMs = currentLimitMs();
    process.send({ kind: "test", title, limitMs });
    let timer;
    const expired = new Promise((_, reject) => {
      const late = new Error(`"${title}" ran past its limit of ${limitMs / 1000} s`);
      timer = setTimeout(reject, limitMs, late);
    });
    try {
      await Promise.race([handler(state), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function reported(title, handler) {
  const run = limited(title, handler);
  return async (state) => {
    try {
      await run(state);
    } catch (error) {
      console.log(`${title}: ${error.stack}`);
      throw error;
    }
  };
}
