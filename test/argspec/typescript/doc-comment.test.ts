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

test("no text ends a comment", () => {
  assert.is(commentText("a */ b **/ c *\u0000/ d"), "a *\\/ b **\\/ c *\\/ d");
});

test("no text becomes a tag; links and addresses stay", () => {
  assert.is(
    commentText("@deprecated no\n  @throws x @see y"),
    "\\@deprecated no\n  \\@throws x \\@see y",
  );
  assert.is(commentText("a@b.c {@link City}"), "a@b.c {@link City}");
});

test("schemas say what they are and whether they are deprecated", () => {
  assert.is(schemaComment({ type: "null" }), "");
  assert.is(schemaComment({ description: "a */ b" }), "a *\\/ b");
  assert.is(schemaComment({ deprecated: true }), "@deprecated");
  assert.is(schemaComment({ description: "a\n@b", deprecated: true }), "a\n\\@b\n@deprecated");
  assert.is(schemaComment({ description: 1, deprecated: "yes" }), "");
});

test("lines end in one way, without blanks and control characters", () => {
  assert.is(commentText("\n a \r\nb\rc\u2028d\u2029e\u001b[31m\n\n"), "a\nb\nc\nd\ne[31m");
  assert.is(commentLine(" a\n*/ @b\u2028c "), "a *\\/ \\@b c");
});

test("comments have one line, or a star each", () => {
  assert.is(docComment(["", ""]), "");
  assert.is(docComment(["", "one"]), "/** one */\n");
  assert.is(
    docComment(["one\n\ntwo", "@deprecated"]),
    "/**\n * one\n *\n * two\n * @deprecated\n */\n",
  );
});

test("empty lines are not indented", () => {
  assert.is(indent("a\n\nb\n"), "  a\n\n  b\n");
});

test.run();
