// A 2x2 matrix over real sockets: return values of processors, attributes of requests and
// responses, and routing.
// limit: 60 s

import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodePartial } from "../../runtime/base/partial/partial-codec.js";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { OWN_SIGNATURE } from "./support/matrix-plugins.js";
import { bodyInTrunk, recordDispatch, recordedDispatches } from "./support/recorded-dispatch.js";
import { type DecodedResponse, get, strangeLines } from "./support/server.js";

const test = suite("dispatch");
/** Message of a dispatcher about an instance below that returns anything else. */
// If all partitions fail alike, the first one is reported.
const NO_RESPONSE =
  /^<partial: [01] width: 2> \| 500 \| \{'svc': .*must return PluginResponse, not /;
let lowerMatrix: TestMatrix;
/** A dispatcher whose two partitions are both the matrix below, without processors. */
let parentNode: MatrixNode;

test.before(async () => {
  lowerMatrix = await matrix(2, 2, { replicas: [{ channels: 4 }, { channels: 4 }] });
  const addresses = [{ host: "127.0.0.1", port: lowerMatrix.dispatcher.port }];
  const dispatcher = { partitions: [addresses, addresses], replicas: [{ channels: 8 }] };
  parentNode = await MatrixNode.start({ dispatcher, prefix: "shop", processors: false });
});

test.after(async () => {
  for (const { log } of [parentNode, lowerMatrix.dispatcher, ...lowerMatrix.engines()])
    assert.is(strangeLines(log), "");
  await parentNode.kill();
  await lowerMatrix.stop();
});

function request(path: string, init: RequestInit = {}): Promise<DecodedResponse> {
  return get(lowerMatrix.dispatcher.port, `/svc/plugin/${path}`, init);
}

function askAbove(path: string, init: RequestInit = {}): Promise<DecodedResponse> {
  return get(parentNode.port, `/svc/plugin/${path}`, init);
}

interface Rendered {
  readonly entries: [key: unknown, item: Record<string, unknown>][];
  readonly [field: string]: unknown;
}

function rendered({ status, text, json }: DecodedResponse): Rendered {
  assert.is(status, 200, text);
  return json.response as Rendered;
}

/** Items of the entries of a response. */
async function items(path: string, init: RequestInit = {}): Promise<Record<string, unknown>[]> {
  return rendered(await request(path, init)).entries.map(([, item]) => item);
}

async function fails(response: Promise<DecodedResponse>, status: number, message: string | RegExp) {
  const { status: actual, json } = await response;
  const text = typeof json.message === "string" ? json.message : JSON.stringify(json.message);
  if (typeof message === "string") assert.is(text, message);
  else assert.match(text, message);
  assert.is(actual, status);
}

test("merges a query from all partitions", async () => {
  const { json } = await request("find?n=3");
  assert.equal(json.response, {
    level: 1,
    levelparts: 2,
    partials: 2,
    hitcount: 6,
    aggregator: [2, 0, 1, 0],
    meta: { partition: 0 },
    entries: [
      [100, { partition: 0, i: 0 }],
      [99, { partition: 1, i: 0 }],
      [90, { partition: 0, i: 1 }],
    ],
  });
  assert.is(json.level, 1);
  assert.equal(json.partitions, [2, 0, 2]);
});

test("counts both levels below", async () => {
  const response = await askAbove("find?n=3");
  const { level, levelparts, partials, hitcount, aggregator } = rendered(response);
  assert.equal([level, levelparts, partials, hitcount], [2, 2, 4, 12]);
  assert.equal(aggregator, [4, 0, 2, 0]);
  assert.is(response.json.level, 2);
  assert.equal(response.json.partitions, [2, 0, 4]);
});

test("renders a merged response as plain text", async () => {
  const { text, headers } = await request("find?n=1", { headers: { accept: "text/plain" } });
  assert.is(headers.get("content-type"), "text/plain; charset=UTF-8");
  assert.match(
    text,
    /^\{ level: 1, levelparts: 2, .*entries: \[ \[ 100, \{ partition: 0, i: 0 \} \] \] \}$/,
  );
});

test("forwards paths under the prefix", async () => {
  for (const path of ["/shop/plugin/find?n=1", "/shop/svc/plugin/find?n=1"]) {
    assert.is(rendered(await get(parentNode.port, path)).level, 2);
  }
  // Back-ends need not have it, so pre-processors must not forward it.
  const processing = await MatrixNode.start({ dispatcher: lowerMatrix.config, prefix: "shop" });
  const { entries } = rendered(await get(processing.port, "/shop/plugin/params?n=(int)1"));
  assert.equal(entries[0]![1], { n: 1 });
  await processing.kill();
});

test("forwards escapes in a path unchanged", async () => {
  assert.is(rendered(await request("f%69nd?n=1")).level, 1);
  const smuggled = "HTTP/1.1%0D%0AHost:%20a%0D%0A%0D%0AGET%20/svc/plugin/write?id=smuggled";
  for (const name of [`a%20${smuggled}`, "a%C4%8D%C4%8Ab", "a%0D%0Ab", "a%3Fb", "a%2569", "a%23"]) {
    const response = await request(name);
    assert.is(response.status, 500, name);
    assert.match(String(response.json.message), /\| 404 \| .*undefined plugin: a/, name);
  }
  assert.equal(lowerMatrix.written(), []);
});

test("rejects HEAD and other methods for plugins", async () => {
  for (const method of ["HEAD", "PUT", "DELETE"]) {
    assert.is((await request("find", { method })).status, 405);
  }
});

test("serves the matrix on the main port only", async () => {
  const { status } = await get(lowerMatrix.dispatcher.port + 1, "/svc/plugin/find");
  assert.is(status, 404);
});

test("pre: forwards the received request with original or changed parameters", async () => {
  assert.equal((await items("params?n=(int)1&x=a%20b&flag"))[0], { n: 1, x: "a b", flag: null });
  assert.equal((await items("params?n=(int)1&extra=y"))[0], {
    n: 1,
    extra: 7,
    half: 0.5,
    text: "ü &=%",
  });
});

test("pre: treats parameters with names of attributes as plain parameters", async () => {
  for (const name of ["content", "partial", "headers", "params"]) {
    assert.equal(await items(`passes?${name}=7`), [{ [name]: "7" }, { [name]: "7" }], name);
  }
});

test("pre: forwards another request with header fields and content", async () => {
  assert.is(rendered(await request("new")).hitcount, 2);
  const posted = rendered(await request("newPost"));
  assert.equal(posted.entries, [
    [0, "from pre"],
    [1, "from pre"],
  ] as never);
  assert.match(String((await items("newHeaders"))[0]), /X-Own: 1\r\n/);
});

test("pre: responds early, at both levels", async () => {
  const { json } = await request("early");
  assert.is(json.level, 0);
  assert.is(json.partitions, null);
  const port = lowerMatrix.dispatcher.port;
  assert.equal((json.response as Rendered).entries as unknown, [[1, `early at ${port}`]]);
  const merged = rendered(await askAbove("early"));
  assert.is(merged.level, 1);
  assert.equal(merged.entries as unknown, new Array(2).fill([1, `early at ${port}`]));
});

test("pre: may return any object at the top level, but not below", async () => {
  assert.equal((await request("object")).json.response, { plain: true });
  await fails(askAbove("object"), 500, NO_RESPONSE);
});

test("pre: reports exceptions and requests that cannot be sent", async () => {
  await fails(
    request("throws"),
    500,
    /^\{"plugin":\{"exception":"<class 'TypeError'>","value":"pre f/,
  );
  await fails(request("unkept"), 500, /request\.local cannot be kept/);
  await fails(request("unsendable"), 500, /unsupported parameter type/);
  await fails(
    request("unknown"),
    500,
    /^<partial: [01] width: 2> \| 404 \| .*undefined plugin: nothere/,
  );
  await fails(request("params?n=(int)x"), 400, /n/);
});

test("post: receives flag, local and signature from pre, and merged totals", async () => {
  const { json } = await request("keeps");
  const { signature, ...rest } = json.response as Record<string, unknown>;
  assert.match(String(signature), /^[0-9a-f]{32}$/);
  assert.equal(rest, {
    flag: "12345678",
    local: { a: [1, "1970-01-01T00:00:00.000Z"] },
    texec: true,
    level: 1,
    levelparts: 2,
    partials: 2,
    resubmits: 0,
    toplevel: true,
    hasmatrix: true,
    requestmethod: "GET",
    requestpath: "/svc/plugin/keeps",
  });
  assert.is(json.level, 1);
  assert.equal(json.partitions, [2, 0, 2]);
});

test("post: has null for attributes that pre did not set or read", async () => {
  for (const [how, expected] of [
    ["nothing", [null, null]],
    ["no%20signature", ["12345678", null]],
    ["own%20signature", ["12345678", OWN_SIGNATURE]],
  ] as const) {
    const { flag, signature } = (await request(`keeps?how=${how}`)).json.response as Rendered;
    assert.equal([flag, signature], expected);
  }
});

test("post: runs without pre", async () => {
  assert.is((await request("postOnly")).json.response, 2);
});

test("post: returns the changed response or another one", async () => {
  const modified = rendered(await request("modified"));
  assert.equal([modified.aggregator, modified.meta], [[102, 0, 1, 0], "post"]);
  const replaced = rendered(await request("replaced"));
  assert.equal(replaced.entries as unknown, [["key", 4]]);
  assert.equal([replaced.level, replaced.levelparts, replaced.partials], [1, 2, 2]);
  assert.is(rendered(await request("later")).hitcount, 4);
});

test("post: may return any object at the top level, but not below", async () => {
  const { json } = await request("object2");
  assert.is(json.response, 2);
  assert.equal([json.level, json.partitions], [1, [2, 0, 2]]);
  await fails(askAbove("object2"), 500, NO_RESPONSE);
  assert.is(rendered(await askAbove("replaced")).hitcount, 2);
});

test("post: reports exceptions and requests other than resubmissions", async () => {
  await fails(request("postThrows"), 500, /^\{"plugin":.*post failed/);
  await fails(
    request("foreign"),
    500,
    /can only return a PluginRequest of response\.resubmittable/,
  );
});

test("post: resubmits with other parameters until it is satisfied", async () => {
  assert.equal((await request("widens")).json.response, { asked: 2, n: 8 });
  await fails(request("resubmitsPost"), 500, /resubmit not possible for POST/);
});

const { MAKE_RELEASE } = process.env;
if (MAKE_RELEASE !== undefined) {
  test("writes the fixture of this release", async () => {
    await recordDispatch(MAKE_RELEASE, lowerMatrix.place(0, 0).engine.port, async (port) => {
      const places = [port, lowerMatrix.place(1, 0).engine.port].map((engine) => [
        { host: "127.0.0.1", port: engine },
      ]);
      const dispatcher = { partitions: places, replicas: [{ channels: 1 }] };
      const node = await MatrixNode.start({ dispatcher, processors: false });
      rendered(await get(node.port, "/svc/plugin/find?n=3"));
      await node.kill();
    });
  });
}

for (const { name, probe, query } of recordedDispatches()) {
  test(`answers a dispatcher of ${name}`, async () => {
    const repeat = async (sent: string, isOver: (bytes: Buffer) => boolean): Promise<Buffer> => {
      const socket = connect(lowerMatrix.place(0, 0).engine.port, "127.0.0.1");
      socket.write(Buffer.from(sent, "base64"));
      let received = Buffer.alloc(0);
      for await (const bytes of socket) {
        received = Buffer.concat([received, bytes as Buffer]);
        if (isOver(received)) break;
      }
      return received;
    };
    const health = await repeat(probe.dispatcher, (bytes) => bytes.includes("SVC/3"));
    assert.match(health.toString(), /^HTTP\/1\.1 200 .*\r\nX-SVC-Trunk: 1\r\n/s);
    const bytes = await repeat(query.dispatcher, (exchange) => bodyInTrunk(exchange) !== null);
    const expected = bodyInTrunk(Buffer.from(query.backEnd, "base64"))!;
    assert.equal(decodePartial(bodyInTrunk(bytes)!), decodePartial(expected));
  });
}

test.run();
