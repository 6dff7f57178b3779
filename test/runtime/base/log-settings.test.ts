// The level of the server log changes at run time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isLogged } from "../../../runtime/base/log.js";
import {
  configureLog,
  LOG_LEVELS,
  logSettings,
  setLogLevel,
} from "../../../runtime/base/log-settings.js";

const test = suite("log settings");

// Other files of this process test log lines.
const { isJson, level } = logSettings();
const initialLevel = level[0]!;
test.after(() => {
  configureLog(isJson ? "json" : "text", LOG_LEVELS[initialLevel]!);
});

test("changes the minimum level and returns the previous one", () => {
  configureLog("json", "warn");
  assert.equal([isLogged("warn"), isLogged("info")], [true, false]);
  assert.is(setLogLevel("debug"), "warn");
  assert.equal([isLogged("info"), isLogged("debug")], [true, true]);
  assert.is(setLogLevel("error"), "debug");
  assert.equal([isLogged("error"), isLogged("warn")], [true, false]);
});

test.run();
