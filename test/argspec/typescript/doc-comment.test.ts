// Foreign texts in comments of generated code.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  commentLine,
  commentText,
  docComment,
  indent,
  schemaComment,
} from "../../../argspec/typescript/doc-comment.js";

const test = suite("doc comment");

test("escapes ends of comments", () => {
  assert.is(commentText("a */ b **/ c *\u0000/ d"), "a *\\/ b **\\/ c *\\/ d");
});

test("escapes tags, and keeps links and URLs", () => {
  assert.is(
    commentText("@deprecated no\n  @throws x @see y"),
    "\\@deprecated no\n  \\@throws x \\@see y",
  );
  assert.is(commentText("a@b.c {@link City}"), "a@b.c {@link City}");
});

test("includes descriptions and deprecation of schemas", () => {
  assert.is(schemaComment({ type: "null" }), "");
  assert.is(schemaComment({ description: "a */ b" }), "a *\\/ b");
  assert.is(schemaComment({ deprecated: true }), "@deprecated");
  assert.is(schemaComment({ description: "a\n@b", deprecated: true }), "a\n\\@b\n@deprecated");
  assert.is(schemaComment({ description: 1, deprecated: "yes" }), "");
});

test("normalizes line ends, trailing blanks and control characters", () => {
  assert.is(commentText("\n a \r\nb\rc\u2028d\u2029e\u001b[31m\n\n"), "a\nb\nc\nd\ne[31m");
  assert.is(commentLine(" a\n*/ @b\u2028c "), "a *\\/ \\@b c");
});

test("prints one line, or a star per line", () => {
  assert.is(docComment(["", ""]), "");
  assert.is(docComment(["", "one"]), "/** one */\n");
  assert.is(
    docComment(["one\n\ntwo", "@deprecated"]),
    "/**\n * one\n *\n * two\n * @deprecated\n */\n",
  );
});

test("does not indent empty lines", () => {
  assert.is(indent("a\n\nb\n"), "  a\n\n  b\n");
});

test.run();
