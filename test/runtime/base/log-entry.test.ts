// Log entries from untrusted strings.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatTextEntry } from "../../../runtime/base/log-entry.js";

const test = suite("log entry");

test("prevents strings from starting an entry of their own", () => {
  const entry = formatTextEntry(
    "failed: x\nsvc: all is well\r\nsvc: again\n    at f (a.ts:1:1)\u2028svc: 3",
  );
  const lines = entry.split(/[\n\r\u2028\u2029\u0085]/);
  assert.is(lines.length, 4);
  for (const line of lines.slice(1)) assert.ok(line.startsWith(" "), line);
  assert.match(entry, "\n    at f (a.ts:1:1)");
});

test("escapes control sequences of terminals", () => {
  for (let code = 0; code < 0x10000; code++) {
    if (code === 10) continue;
    const entry = formatTextEntry(`a${String.fromCharCode(code)}b`);
    assert.not.ok(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(entry), `${code}`);
  }
  assert.is(formatTextEntry("\x1b[2Jx"), "\\u001b[2Jx");
});

test("limits the length of an entry", () => {
  assert.ok(formatTextEntry("x".repeat(1e6)).length < 20_000);
});

test.run();
