// Export of traces to a collector. Requests do not wait for one that fails.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Trace } from "../../../../runtime/base/tracing/trace.js";
import { readTraceParent } from "../../../../runtime/base/tracing/trace-parent.js";
import { Tracer } from "../../../../runtime/base/tracing/tracer.js";

const test = suite("trace collector");
const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

interface Received {
  readonly path: string;
  readonly body: {
    resourceSpans: { scopeSpans: { spans: { name: string; traceId: string }[] }[] }[];
  };
}

async function collector(status: number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push({ path: request.url!, body: JSON.parse(Buffer.concat(parts).toString()) });
    response.writeHead(status).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const spans = () => received.flatMap(({ body }) => body.resourceSpans[0]!.scopeSpans[0]!.spans);
  return { url: `http://127.0.0.1:${port}/`, received, spans, close: () => server.close() };
}

function createTracer(url: string, every = 1): Tracer {
  const resource = () => ({ "service.name": "shop", "service.version": "1.0.0" });
  return new Tracer({ url: `${url}v1/traces`, resource, version: "1.0.0" }, every);
}

function begin(tracer: Tracer, text?: string, isBelieved = true): Trace | null {
  return tracer.begin(readTraceParent(text), isBelieved, Date.now());
}

test("receives the spans of sampled requests", async () => {
  const { url, received, spans, close } = await collector(200);
  const tracer = createTracer(url, 2);
  const traces = Array.from({ length: 4 }, () => begin(tracer));
  assert.equal(
    traces.map((trace) => trace !== null),
    [true, false, true, false],
  );
  const trace = begin(tracer, PARENT)!;
  assert.is(begin(tracer, PARENT.replace(/01$/, "00")), null);
  trace.ran("top", Date.now(), Date.now(), 3, 200);
  trace.end("GET", "/svc/plugin/top?key=secret", 0, 200);
  await tracer.close(10_000);
  close();
  assert.equal(
    spans().map(({ name }) => name),
    ["queue", "run top", "GET /svc/plugin/top"],
  );
  assert.is(received[0]!.path, "/v1/traces");
  const text = JSON.stringify(received);
  assert.not.match(text, "secret");
  const [queue, , whole] = spans() as unknown as Record<string, string>[];
  assert.is(whole!.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  assert.is(whole!.parentSpanId, "00f067aa0ba902b7");
  assert.is(queue!.parentSpanId, whole!.spanId);
  assert.match(whole!.startTimeUnixNano!, /^\d{19}$/);
});

test("ignores the sampling flag of untrusted clients", () => {
  const disabledTracer = createTracer("http://127.0.0.1:1/", 0);
  assert.is(begin(disabledTracer, PARENT, false), null);
  const second = createTracer("http://127.0.0.1:1/", 2);
  const isRecorded = Array.from({ length: 4 }, () => begin(second, PARENT, false) !== null);
  assert.equal(isRecorded, [true, false, true, false]);
});

test("reports its failure once, and is disabled afterwards", async () => {
  const { url, spans, close } = await collector(503);
  const tracer = createTracer(url);
  let output = "";
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => {
    output += text;
    return true;
  };
  try {
    for (let batch = 0; batch < 2; batch++) {
      const trace = begin(tracer, PARENT);
      assert.is(trace === null, batch > 0);
      for (let n = 0; n < 5000; n++) trace?.end("GET", "/", 0, 200);
      await tracer.close(10_000);
    }
  } finally {
    process.stderr.write = write;
    close();
  }
  // A bounded list, of which one batch was sent.
  assert.ok(spans().length <= 2048 + 512, `${spans().length} spans`);
  assert.is(output.split("SVC2900").length, 2, output);
  assert.match(output, "returned 503");
});

test.run();
