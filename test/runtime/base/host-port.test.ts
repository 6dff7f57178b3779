// Addresses with ports: valid and invalid ones.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOST_PORT } from "../../../runtime/base/host-port.js";

const test = suite("host and port");

test("accepts valid ports only", () => {
  for (let port = 0; port <= 100_000; port++) {
    assert.is(HOST_PORT.test(`a.example:${port}`), port >= 1 && port <= 65_535, String(port));
  }
  for (const text of ["a:080", "a:", "a", ":80", "a b:80", "a:80\n", "[::1:80", "::1:80"]) {
    assert.not(HOST_PORT.test(text), text);
  }
  assert.ok(HOST_PORT.test("[::1]:80"));
});

test.run();
