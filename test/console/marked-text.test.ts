// Highlights of the server become parts of text.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseMarks } from "../../console/graph/marked-text.js";

const test = suite("marked text");

test("separates marked words from text", () => {
  assert.equal(parseMarks("a <em>red</em> boot"), [
    { text: "a ", isMarked: false },
    { text: "red", isMarked: true },
    { text: " boot", isMarked: false },
  ]);
  assert.equal(parseMarks(""), []);
});

test("unescapes each character once, and keeps other markup as text", () => {
  const html = "&lt;em&gt; &amp;lt; &quot;x&quot; <b>&amp;</b>";
  assert.equal(parseMarks(html), [{ text: '<em> &lt; "x" <b>&</b>', isMarked: false }]);
});

test.run();
