// Texts to bytes held as latin1 text, and back.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  latin1ToUtf8,
  latin1WithHeadroom,
  toLatin1,
  wrapInPlace,
} from "../../../../runtime/plugin/contract/wire-text.js";

const test = suite("wire text");

test("carries UTF-8 bytes as characters, both ways", () => {
  for (const text of ["", "abc", "é", "日本", "a😀b", "\u0000\u007f\u0080\u00ff"]) {
    const wire = toLatin1(text);
    assert.is(wire, Buffer.from(text, "utf8").toString("latin1"));
    assert.is(latin1ToUtf8(wire), text);
  }
});

test("replaces what is no UTF-8 and no well-formed text", () => {
  assert.is(latin1ToUtf8("a\xff"), "a\ufffd");
  assert.is(latin1ToUtf8(toLatin1("a\ud800")), "a\ufffd");
});

test("puts texts around bytes, in place where there is room", () => {
  const text = "\u00e9".repeat(10_000);
  for (const head of ["", "{", "h".repeat(512), "h".repeat(513)]) {
    const bytes = latin1WithHeadroom(text);
    const whole = wrapInPlace(head, bytes, "tail\u00ff");
    assert.is(Buffer.from(whole).toString("latin1"), `${head}${text}tail\u00ff`);
    assert.is(whole.buffer === bytes.buffer, head.length <= 512, `${head.length} before`);
  }
});

test("leaves alone what is around bytes of somebody else", () => {
  const all = Buffer.alloc(20_000, "o");
  const whole = wrapInPlace("{", all.subarray(512, 19_000), "}");
  assert.is(Buffer.from(whole).toString("latin1"), `{${"o".repeat(18_488)}}`);
  assert.is(all.toString("latin1"), "o".repeat(20_000));
});

test.run();
