// Back-ends that die, hang, send garbage or are overloaded: outcomes for the client, and recovery.
// Large bodies and partials.
// limit: 240 s
// takes 40 s

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Fault } from "./support/fault-proxy.js";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { type DecodedResponse, get, pipeline, strangeLines } from "./support/server.js";

const test = suite("dispatch faults");
/** Longer than a loaded machine needs for a back-end that does not hang. */
const TIMEOUT_MS = 3000;
let smallMatrix: TestMatrix;
/** Over the same back-ends; returns partial results without unhealthy partitions. */
let lenientNode: MatrixNode;
/** Dispatchers started by single tests. */
const further: MatrixNode[] = [];
let writes = 0;

test.before(async () => {
  smallMatrix = await matrix(2, 2, { options: { timeout: TIMEOUT_MS } });
  const options = { timeout: TIMEOUT_MS, "allow-incomplete": true };
  lenientNode = await MatrixNode.start({ dispatcher: { ...smallMatrix.config, options } });
});

test.after(async () => {
  for (const { log } of [lenientNode, smallMatrix.dispatcher, ...smallMatrix.engines()])
    assert.is(strangeLines(log), "");
  await Promise.all([lenientNode, ...further].map((node) => node.kill()));
  await smallMatrix.stop();
});

/** Every back-end is healthy again for both dispatchers. */
test.after.each(async () => {
  for (const backEnd of smallMatrix.places.flat()) backEnd.proxy.fault = "none";
  for (const { port } of [smallMatrix.dispatcher, lenientNode]) {
    for (const row of [0, 1]) {
      for (;;) {
        // A retryable request tries ejected back-ends again at once.
        await get(port, "/svc/plugin/find");
        const { json } = await get(port, `/svc/plugin/affine?n=${row}`);
        const { entries = [] } = (json.response ?? {}) as { entries?: [number, Item][] };
        if (entries.filter(([, { replica }]) => replica === row).length === 2) break;
        await delay(10);
      }
    }
  }
});

interface Item {
  readonly replica: number;
}

function request(
  path: string,
  init: RequestInit = {},
  port = smallMatrix.dispatcher.port,
): Promise<DecodedResponse> {
  return get(port, `/svc/plugin/${path}`, init);
}

/** Replicas that responded, by partition; or the error. */
async function rows(path = "where", port = smallMatrix.dispatcher.port): Promise<unknown> {
  const { json } = await request(path, {}, port);
  if (json.status !== "OK") return json.message;
  return (json.response as { entries: [number, Item][] }).entries.map(([, item]) => item.replica);
}

async function write(
  method: "GET" | "POST",
): Promise<{ response: DecodedResponse; executed: number }> {
  const id = `w${writes++}`;
  const init = { method, ...(method === "POST" && { body: "x" }) };
  const response = await request(`write?id=${id}`, {
    ...init,
    headers: { "X-SVC-Partial-Target": "0" },
  });
  return {
    response,
    executed: smallMatrix.written().filter((written) => written === `${id} 0`).length,
  };
}

function setFault(partition: number, replica: number, fault: Fault): void {
  const { proxy } = smallMatrix.place(partition, replica);
  proxy.fault = fault;
  // Open connections must not remember earlier latencies.
  if (fault === "refuse") proxy.cut();
}

/** A dispatcher that waits for long requests. */
async function patient(replicas: readonly object[] = [{}, {}], options = {}) {
  const dispatcher = await MatrixNode.start({
    dispatcher: { ...smallMatrix.config, replicas, options },
  });
  further.push(dispatcher);
  return dispatcher;
}

test("skips a back-end that dies and reuses it after recovery", async () => {
  const backEnd = smallMatrix.place(1, 0);
  assert.equal(await rows(), [0, 0]);
  await backEnd.kill();
  assert.equal(await rows(), [0, 1]);
  assert.equal(await rows(), [0, 1]);
  await backEnd.restart();
});

test("skips a back-end that refuses connections and reuses it after recovery", async () => {
  setFault(0, 0, "refuse");
  assert.equal(await rows(), [1, 0]);
});

test("sends fewer requests to an overloaded back-end for a while", async () => {
  setFault(0, 0, "busy");
  const requests = 40;
  for (let n = 0; n < requests; n++) {
    const [replica] = (await rows()) as number[];
    assert.is(replica, 1);
  }
  const { refusedRequests } = smallMatrix.place(0, 0).proxy;
  // A time without requests follows each of them.
  assert.ok(refusedRequests > 0 && refusedRequests < requests / 2, `${refusedRequests}`);
});

test("retries a GET but not a POST after a lost connection", async () => {
  setFault(0, 0, "reset");
  const get = await write("GET");
  // Targeted requests have a single replica.
  assert.equal([get.response.status, get.executed], [503, 1]);
  assert.equal(await rows(), [1, 0]);
});

test("executes a POST once when its connection is lost", async () => {
  setFault(0, 0, "reset");
  const { response, executed } = await write("POST");
  assert.is(response.status, 500);
  assert.match(String(response.json.message), /^<partial: 0 width: 2> \| 503 \| /);
  assert.is(executed, 1);
});

test("does not retry a partly executed POST at another dispatcher either", async () => {
  const otherNode = await MatrixNode.start({ dispatcher: smallMatrix.config, processors: false });
  const replicas = [smallMatrix.dispatcher, otherNode].map(({ port }) => ({
    host: "127.0.0.1",
    port,
  }));
  const dispatcher = { partitions: [replicas], replicas: [{}, {}] };
  const parentNode = await MatrixNode.start({ dispatcher, processors: false });
  const out = [0, 1].map((replica) => smallMatrix.place(1, replica).engine);
  await Promise.all(out.map((engine) => engine.serviceIn(false)));
  const init = { method: "POST", body: "x" };
  const { status, json } = await get(parentNode.port, "/svc/plugin/write?id=half", init);
  await Promise.all(out.map((engine) => engine.serviceIn(true)));
  await parentNode.kill();
  await otherNode.kill();
  assert.equal([status, json.message], [500, "<partial: 0 width: 1> | 500 | Partition(s) down"]);
  assert.ok(smallMatrix.written().filter((written) => written === "half 0").length <= 1);
});

test("reports an invalid response as an error", async () => {
  setFault(1, 0, "garbage");
  assert.match(
    String(await rows()),
    /^<partial: 1 width: 2> \| 503 \| invalid (frame|response line)$/,
  );
});

test("omits an invalid response from a partial result", async () => {
  setFault(1, 0, "garbage");
  assert.equal(await rows("where", lenientNode.port), [0]);
});

// A repeated hang doubles the ejection time: others hang for each test.
for (const [label, position] of [
  ["proxy", 1],
  ["process", 0],
] as const) {
  test(`aborts a request to a hanging back-end at the timeout (${label})`, async () => {
    const { engine } = smallMatrix.place(position, 0);
    if (label === "process") engine.hang();
    else setFault(position, 0, "hang");
    assert.is(
      await rows(),
      `<partial: ${position} width: 2> | 503 | timeout after ${TIMEOUT_MS} ms`,
    );
    // From then on the other replica is used.
    assert.equal(await rows(), position === 1 ? [0, 1] : [1, 0]);
    const { json } = await request("where", {}, lenientNode.port);
    assert.equal(json.partitions, [2, 1, 1]);
    engine.resume();
  });
}

test("succeeds with retryable requests despite a hanging replica that passes probes", async () => {
  const incomplete = await patient([{}, {}], { "allow-incomplete": true });
  for (const { port } of [smallMatrix.dispatcher, incomplete]) await request("find", {}, port);
  setFault(0, 0, "zombie");
  for (let i = 0; i < 20; i++) {
    const { status, json } = await request("find");
    assert.equal([status, json.partitions], [200, [2, 0, 2]]);
  }
  const { json } = await request("find", {}, incomplete.port);
  assert.is(json.coverage, 1);
});

test("reports missing partitions as coverage", async () => {
  await request("where", {}, lenientNode.port);
  setFault(1, 0, "hang");
  const { json } = await request("where", {}, lenientNode.port);
  assert.equal([json.partitions, json.coverage], [[2, 1, 1], 0.5]);
});

test("does not treat a slow back-end as hanging", async () => {
  smallMatrix.place(0, 0).proxy.delayMs = TIMEOUT_MS / 4;
  assert.equal(await rows(), [0, 0]);
  smallMatrix.place(0, 0).proxy.delayMs = 0;
});

test("hides Service-OUT of a back-end from clients", async () => {
  const { engine } = smallMatrix.place(0, 0);
  await engine.serviceIn(false);
  assert.equal(await rows(), [1, 0]);
  await engine.serviceIn(true);
});

test("responds with 503 without replicas of a partition, or with a partial result", async () => {
  for (const replica of [0, 1]) await smallMatrix.place(1, replica).engine.serviceIn(false);
  const strictResponse = await request("find");
  assert.equal([strictResponse.status, strictResponse.json.message], [503, "Partition(s) down"]);
  assert.equal([strictResponse.json.level, strictResponse.json.partitions], [0, null]);
  const { status, json } = await request("find", {}, lenientNode.port);
  assert.equal([status, json.level, json.partitions], [200, 1, [2, 1, 1]]);
  for (const path of ["primary", "partial?n=1"]) {
    assert.is((await request(path, {}, lenientNode.port)).json.message, "Partition(s) down");
  }
  assert.is((await request("partial?n=0", {}, lenientNode.port)).status, 200);
  for (const replica of [0, 1]) await smallMatrix.place(0, replica).engine.serviceIn(false);
  const emptyResponse = await request("find", {}, lenientNode.port);
  assert.equal([emptyResponse.status, emptyResponse.json.message], [503, "All partitions down"]);
  for (const engine of smallMatrix.engines()) await engine.serviceIn(true);
});

/** Resolves once a dispatcher shows these values in its metrics. */
async function shows(port: number, ...lines: readonly string[]): Promise<void> {
  let text = "";
  while (!lines.every((line) => text.includes(`\n${line}\n`))) {
    await delay(10);
    ({ text } = await get(port + 1, "/metrics"));
  }
}

test("rejects requests when the queue is full", async () => {
  const { port } = await patient([{ channels: 1 }, { channels: 1 }]);
  // Maximum of concurrent requests per connection; two run until all have arrived, 992 wait.
  const paths = new Array(64).fill("/svc/plugin/where");
  const running = [1, 2].map(() => request("hold", {}, port));
  await shows(port, "svc_dispatch_running 2", "svc_dispatch_waiting 0");
  const sockets = Array.from({ length: 16 }, () => pipeline(port, ...paths));
  await shows(port, "svc_dispatch_waiting 992", 'svc_errors_total{code="429"} 32');
  smallMatrix.release();
  const statuses: Record<string, number> = {};
  await Promise.all(
    sockets.map(async (socket) => {
      let text = "";
      while (text.match(/HTTP\/1\.1 \d/g)?.length !== paths.length || !text.endsWith("}")) {
        text += ((await once(socket, "data")) as [string])[0];
      }
      socket.destroy();
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d+)/g)) {
        statuses[status!] = (statuses[status!] ?? 0) + 1;
      }
      for (const [, message] of text.matchAll(/"message": "(.*?)"/g)) {
        assert.is(message, "Cannot accept new connection at this time");
      }
    }),
  );
  for (const { status } of await Promise.all(running)) assert.is(status, 200);
  assert.equal(statuses, { "200": 992, "429": 32 });
});

test("transfers large bodies and partials", async () => {
  const { port } = await patient();
  const body = "ö".repeat(2_600_000);
  const echoed = parseEntries(await request("echo", { method: "POST", body }, port));
  assert.ok(echoed.length === 2 && echoed.every(([, text]) => text === body));
  const texts = parseEntries(await request("big?n=2000000", {}, port));
  assert.ok(texts.length === 2 && texts.every(([, text]) => text === "ä".repeat(2_000_000)));
  const entries = parseEntries(await request("many?n=20000", {}, port));
  assert.is(entries.length, 40_000);
  assert.ok(entries.every(([key, text], index) => key === index && text === `item ${index >> 1}`));
});

/** Of a merged result; an error fails the test with its text. */
function parseEntries({ json, text }: DecodedResponse): [number, string][] {
  assert.is(json.status, "OK", text.slice(0, 2000));
  return (json.response as { entries: [number, string][] }).entries;
}

test("forwards bytes unchanged as a reverse proxy", async () => {
  const { proxy } = smallMatrix.place(0, 0);
  const partitions = [[{ host: "127.0.0.1", port: proxy.port }]];
  const dispatcher = await MatrixNode.start({
    dispatcher: { partitions, replicas: [{ channels: 1 }] },
    processors: false,
  });
  for (const [path, accept] of [
    ["find?n=3", "application/json"],
    ["find?n=3", "application/x-svc-partial"],
    ["fails", "application/json"],
    ["fails", "text/plain"],
    ["nothere", "application/json"],
    ["text?s=gr%C3%BC%C3%9Fe", "text/plain"],
  ] as const) {
    const { status, text, headers } = await request(path, { headers: { accept } }, dispatcher.port);
    const [head, body] = proxy.lastResponse.toString("utf8").split("\r\n\r\n") as [string, string];
    assert.is(text, body);
    assert.is(status, Number(head.slice(9, 12)));
    assert.match(head, `Content-Type: ${headers.get("content-type")}`);
  }
  // The back-end closes the connection after an empty response; the next request is not lost.
  const init = { method: "POST", body: "x", headers: { accept: "text/plain" } };
  for (let round = 0; round < 20; round++) {
    const { status, text } = await request("text?s=", init, dispatcher.port);
    assert.equal([status, text], [200, ""]);
  }
  await dispatcher.kill();
});

test.run();
