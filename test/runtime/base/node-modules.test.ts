// Modules of Node.js that are loaded when they are first used.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { http, https, tls } from "../../../runtime/base/node-modules.js";

const test = suite("modules of Node.js");

test("are found without a function that Node.js 22.0 to 22.2 lack", () => {
  const { getBuiltinModule } = process;
  try {
    Object.assign(process, { getBuiltinModule: undefined });
    const functions = [http().request, https().request, tls().connect];
    assert.equal(
      functions.map((loaded) => typeof loaded),
      ["function", "function", "function"],
    );
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
});

test.run();
