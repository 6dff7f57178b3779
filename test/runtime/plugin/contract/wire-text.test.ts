// Conversion between strings and bytes held as latin1 strings.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  latin1ToUtf8,
  latin1WithHeadroom,
  toLatin1,
  wrapInPlace,
} from "../../../../runtime/plugin/contract/wire-text.js";

const test = suite("wire text");

test("converts UTF-8 bytes to characters and back", () => {
  for (const text of ["", "abc", "é", "日本", "a😀b", "\u0000\u007f\u0080\u00ff"]) {
    const wire = toLatin1(text);
    assert.is(wire, Buffer.from(text, "utf8").toString("latin1"));
    assert.is(latin1ToUtf8(wire), text);
  }
});

test("replaces invalid UTF-8 and lone surrogates", () => {
  assert.is(latin1ToUtf8("a\xff"), "a\ufffd");
  assert.is(latin1ToUtf8(toLatin1("a\ud800")), "a\ufffd");
});

test("wraps bytes in strings, in place if there is room", () => {
  const text = "\u00e9".repeat(10_000);
  for (const head of ["", "{", "h".repeat(512), "h".repeat(513)]) {
    const bytes = latin1WithHeadroom(text);
    const wholeBytes = wrapInPlace(head, bytes, "tail\u00ff");
    assert.is(Buffer.from(wholeBytes).toString("latin1"), `${head}${text}tail\u00ff`);
    assert.is(wholeBytes.buffer === bytes.buffer, head.length <= 512, `${head.length} before`);
  }
});

test("does not write to the memory around foreign bytes", () => {
  const longText = Buffer.alloc(20_000, "o");
  const wholeBytes = wrapInPlace("{", longText.subarray(512, 19_000), "}");
  assert.is(Buffer.from(wholeBytes).toString("latin1"), `{${"o".repeat(18_488)}}`);
  assert.is(longText.toString("latin1"), "o".repeat(20_000));
});

test.run();
