// Texts to bytes held as latin1 text, and back.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fromLatin1, toLatin1 } from "../../../../runtime/plugin/contract/wire-text.js";

const test = suite("wire text");

test("carries UTF-8 bytes as characters, both ways", () => {
  for (const text of ["", "abc", "é", "日本", "a😀b", "\u0000\u007f\u0080\u00ff"]) {
    const wire = toLatin1(text);
    assert.is(wire, Buffer.from(text, "utf8").toString("latin1"));
    assert.is(fromLatin1(wire), text);
  }
});

test("replaces what is no UTF-8 and no well-formed text", () => {
  assert.is(fromLatin1("a\xff"), "a\ufffd");
  assert.is(fromLatin1(toLatin1("a\ud800")), "a\ufffd");
});

test.run();
