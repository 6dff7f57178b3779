// Heads of responses that the servers of a thread share.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { responseHeads } from "../../../../runtime/http/net/response-heads.js";

const test = suite("response heads");

test("are shared by servers with the same fields only", () => {
  const heads = responseHeads(null, "keep-Alive");
  assert.is(responseHeads(null, "keep-Alive"), heads);
  assert.is.not(responseHeads(null, "close"), heads);
  assert.is.not(responseHeads("", "keep-Alive"), heads);
  const open = responseHeads("*", "keep-Alive");
  assert.is(responseHeads("*", "keep-Alive"), open);
  assert.match(open.text(200, null, 0, ""), "Access-Control-Allow-Origin: *\r\n");
  assert.not.match(heads.text(200, null, 0, ""), "Access-Control");
});

test.run();
