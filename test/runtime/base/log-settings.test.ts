// The level of the server log changes at run time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isLogged } from "../../../runtime/base/log.js";
import { configureLog, setLogLevel } from "../../../runtime/base/log-settings.js";

const test = suite("log settings");

test("changes the minimum level and returns the former one", () => {
  configureLog("json", "warn");
  assert.equal([isLogged("warn"), isLogged("info")], [true, false]);
  assert.is(setLogLevel("debug"), "warn");
  assert.equal([isLogged("info"), isLogged("debug")], [true, true]);
  assert.is(setLogLevel("error"), "debug");
  assert.equal([isLogged("error"), isLogged("warn")], [true, false]);
});

test.run();
