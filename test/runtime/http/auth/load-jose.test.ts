// The optional package `jose`: where it is found, and the error of a missing one.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadJose } from "../../../../runtime/http/auth/load-jose.js";

const test = suite("loadJose");
const elsewhere = pathToFileURL(join(tmpdir(), "module.js")).href;

test("uses the project's package if svc has none", async () => {
  assert.type((await loadJose(process.cwd(), elsewhere)).jwtVerify, "function");
});

test("names the package that is missing", async () => {
  const error = await loadJose(tmpdir(), elsewhere).catch((thrown) => thrown);
  assert.is(error.code, "SVC2211");
});

test.run();
