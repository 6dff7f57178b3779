// Variables that look like settings and are not.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dev } from "../../../cli/dev.js";
import { environmentVariableFor } from "../../../cli/framework/command.js";
import { serve } from "../../../cli/serve.js";
import { unknownVariableWarnings } from "../../../cli/serving/unknown-variables.js";

const test = suite("unknown variables");

test("names the nearest variable", () => {
  assert.equal(unknownVariableWarnings({ SVC_EXECUTRS: "2", SVC_ZZZZZZZZ: "1", PORT: "1" }), [
    "unknown variable `SVC_EXECUTRS`, did you mean `SVC_EXECUTORS`?",
    "unknown variable `SVC_ZZZZZZZZ`",
  ]);
});

test("accepts the variables of all options, secrets, and those of platforms", () => {
  const options = [serve, dev].flatMap((command) => Object.keys(command.options));
  const others = ["SVC_ADMIN_KEY", "SVC_TX_KEY", "SVC_NATS_TOKEN"];
  const platforms = ["SVC_SERVICE_HOST", "SVC_SERVICE_PORT", "SVC_PORT_9000_TCP_ADDR"];
  const names = [...options.map(environmentVariableFor), ...others, ...platforms];
  assert.equal(unknownVariableWarnings(Object.fromEntries(names.map((name) => [name, "1"]))), []);
});

test.run();
