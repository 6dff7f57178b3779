// Names of parameter types at run time; `float` is also a function.

import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { Converter, float, int, str } from "../../../../runtime/plugin/contract/types.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";

const test = suite("types");

test("`float` names a type and converts integers to floats", () => {
  assert.instance(float, Converter);
  assert.is(float.wire, "float");
  assert.is(`${float} ${int} ${str}`, "float int str");
  assert.instance(float(7), Float);
  assert.is(float(7).value, 7);
  assert.throws(() => float("7" as never), TypeError);
  assert.is(new PluginResponse({ keytype: float }).keytype, float);
  assert.not.throws(() => inspect(float));
});

test.run();
