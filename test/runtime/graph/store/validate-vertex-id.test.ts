// Validation of ids with its messages, and the layout of strings in words.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ValueError, VertexError } from "../../../../runtime/graph/model/errors.js";
import { PackedText } from "../../../../runtime/graph/store/packed-text.js";
import { validateVertexId } from "../../../../runtime/graph/store/validate-vertex-id.js";

const test = suite("vertex id text");

function expectRejection(id: unknown, kind: new (message: string) => Error, message: string): void {
  let thrown: unknown;
  try {
    validateVertexId(id);
  } catch (error) {
    thrown = error;
  }
  assert.instance(thrown, kind);
  if (kind === VertexError) assert.is((thrown as VertexError).code, "SVC2405");
  assert.is((thrown as Error).message, message);
}

test("accepts 1 to 131,000 bytes of UTF-8 without control characters", () => {
  const longest = "a".repeat(131_000);
  for (const id of ["a", "*", " ", "a/b", "é€😀", "\x7f", longest, "€".repeat(43_666)]) {
    assert.is(validateVertexId(id), id);
  }
  assert.is(validateVertexId(Buffer.from("é€😀")), "é€😀");
  expectRejection("", VertexError, "Cannot create object: '' (empty vertex identifier)");
  const tooLong = (bytes: number) => `Vertex identifier too long (${bytes}), max length is 131000`;
  expectRejection(`${longest}a`, VertexError, tooLong(131_001));
  expectRejection("€".repeat(43_667), VertexError, tooLong(131_001));
  const illegal = (shown: string, char: string, position: number) =>
    `Cannot create object: '${shown}' (illegal vertex identifier, ` +
    `char ${char}h at position ${position})`;
  expectRejection("a\x01b", VertexError, illegal("a.b", "01", 1));
  expectRejection("\0", VertexError, illegal(".", "00", 0));
  expectRejection("é\x1f", VertexError, illegal("é.", "1F", 1));
  expectRejection("ab\ud800c", VertexError, illegal("ab\ud800c", "D800", 2));
  expectRejection(Buffer.from([0xff]), ValueError, "a vertex identifier must be UTF-8");
  expectRejection(7, TypeError, "a vertex identifier must be a string");
  expectRejection(null, TypeError, "a vertex identifier must be a string");
});

const TEXTS = ["", "a", "ab", "abc", "abcd", "abcde", "é", "abcé", "€uro", "😀", "a".repeat(1000)];

test("is stored in words as UTF-8 with zero padding", () => {
  const packed = new PackedText();
  for (const text of [...TEXTS, ...TEXTS.toReversed()]) {
    packed.setText(text);
    const expected = Buffer.from(text);
    const padded = Buffer.alloc(packed.wordCount * 4);
    expected.copy(padded);
    assert.is(packed.bytes, expected.length);
    assert.equal(Buffer.from(packed.words.buffer, 0, padded.length), padded, text);
    assert.is(packed.toText(), text);
    assert.equal(Buffer.from(packed.toBytes()), expected);
    const hash = packed.hash();
    packed.setText("~".repeat(40));
    packed.setBytes(expected);
    assert.is(packed.hash(), hash);
    assert.is(packed.toText(), text);
  }
});

test("has stable hashes, which stored graphs contain", () => {
  const packed = new PackedText();
  const hashes = ["a", "abcd", "vertex00001", "é€😀"].map((text) => {
    packed.setText(text);
    return packed.hash();
  });
  assert.equal(hashes, [721651713, 1139631978, 524275710, -2044196511]);
});

test("compares by words, and matches prefixes", () => {
  const packed = new PackedText();
  packed.setText("abcdef");
  const words = new Uint32Array(8);
  packed.copyTo(words, 3);
  assert.ok(packed.equals(words, 3));
  words[4]!++;
  assert.not(packed.equals(words, 3));
  for (const start of ["", "a", "abcde", "abcdef"]) {
    assert.ok(packed.startsWith(Buffer.from(start)), start);
  }
  for (const otherId of ["b", "abcdeg", "abcdefg"]) {
    assert.not(packed.startsWith(Buffer.from(otherId)), otherId);
  }
});

test.run();
