// Heads of responses that the servers of a thread share.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

test("keeps a head for each status, media type and length, without the engine's fields", () => {
  const heads = responseHeads("https://kept", "keep-Alive");
  const head = (status: number, type: string | null, bytes: number, fields = "") => {
    const [first, ...rest] = heads.text(status, type, bytes, fields).split("\r\n");
    const lines = rest.filter((line) => /^(X-|Content-|$)/.test(line));
    return [first!.slice(9, 12), ...lines].join("|");
  };
  for (let round = 0; round < 2; round++) {
    for (const bytes of [1, 9, 255, 256, 1000]) {
      const lines = `Content-Type: a/b; charset=UTF-8|Content-Length: ${bytes}||`;
      assert.is(head(200, "a/b", bytes), `200|${lines}`);
      assert.is(head(404, "a/b", bytes), `404|${lines}`);
      assert.is(head(200, "a/b", bytes, "X-A: 1\r\n"), `200|X-A: 1|${lines}`);
      assert.is(head(200, "c/d", bytes), `200|${lines.replace("a/b", "c/d")}`);
    }
    assert.is(head(200, null, 0), "200||");
    assert.is(head(200, "a/b", 0, "X-A: 1\r\n"), "200|X-A: 1||");
  }
});

/** Returns how many bytes of the heap remain in use after 50,000 calls. */
function keptBytes(call: (number: number) => void): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heapBytes = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  call(1);
  const before = heapBytes();
  for (let number = 1; number < 50_000; number++) call(number);
  return heapBytes() - before;
}

test("keeps no heads of long content", () => {
  const heads = responseHeads(null, "close");
  const keptSize = keptBytes((bytes) => heads.text(200, "a/b", bytes, ""));
  assert.ok(keptSize < 1_000_000, `${keptSize} bytes`);
});

test("caches heads of only a few of many media types", () => {
  const heads = responseHeads(null, "close");
  const keptSize = keptBytes((number) => {
    assert.match(heads.text(200, `a/${number}`, 1, ""), `a/${number};`);
  });
  assert.ok(keptSize < 1_000_000, `${keptSize} bytes`);
});

test.run();
