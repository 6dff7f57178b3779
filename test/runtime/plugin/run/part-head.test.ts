// Names of files in forms, as hostile clients state them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePartHead } from "../../../../runtime/plugin/run/part-head.js";

const test = suite("part head");

const NAMES: readonly (readonly [stated: string, name: string])[] = [
  ['filename="p.png"', "p.png"],
  ['filename="../../etc/passwd"', "passwd"],
  ['filename="C:\\\\x\\\\y.png"', "y.png"],
  ['filename=".."', ""],
  ['filename="a/."', ""],
  ['filename="\0..\x7f"', ""],
  ['filename="a\0b%0a.png"', "ab.png"],
  ["filename*=UTF-8''..%2F%00e%0Bvil", "evil"],
  // A terminal may take it for the start of a command.
  ["filename*=UTF-8''a%C2%9B2J.png", "a2J.png"],
];

test("writes names without folders, control characters or only dots", () => {
  for (const [stated, name] of NAMES) {
    const head = parsePartHead(`Content-Disposition: form-data; name="f"; ${stated}`);
    assert.is(head?.fileName, name, stated);
  }
});

test.run();
