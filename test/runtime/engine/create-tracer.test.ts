// Where an instance sends its traces, and how it names itself, from settings and variables.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTracer } from "../../../runtime/engine/create-tracer.js";

const test = suite("tracer of an instance");
const instance = () => ({ serviceName: "shop", port: 9000 });

interface Received {
  readonly request: IncomingMessage;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Sends one span to a collector and returns the request that arrives. */
async function send(
  settings: (url: string) => Parameters<typeof createTracer>[0],
  variables: (url: string) => Record<string, string>,
): Promise<Received> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const received = new Promise<Received>((resolve) => {
    server.on("request", async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.end("{}");
      const { resource } = JSON.parse(Buffer.concat(parts).toString()).resourceSpans[0];
      const pairs = resource.attributes as { key: string; value: { stringValue: string } }[];
      const attributes = pairs.map(({ key, value }) => [key, value.stringValue] as const);
      resolve({ request, attributes: Object.fromEntries(attributes) });
    });
  });
  const tracer = createTracer(settings(url), instance, variables(url))!;
  tracer.begin(null, false, Date.now())!.end("GET", "/", 0, 200);
  await tracer.close(10_000);
  server.close();
  return received;
}

test("names the instance by its host and port", async () => {
  const settings = (url: string) => ({ collector: `${url}/`, traceSampleEvery: 1 });
  const { request, attributes } = await send(settings, () => ({}));
  assert.is(request.url, "/v1/traces");
  assert.is(attributes["service.name"], "shop");
  assert.is(attributes["service.instance.id"], `${hostname()}:9000`);
});

test("takes endpoint, header fields and attributes from variables", async () => {
  const { request, attributes } = await send(
    () => ({ collector: null, traceSampleEvery: 1 }),
    (url) => ({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own/path`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x",
      OTEL_SERVICE_NAME: "orders",
      OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=pod-7",
    }),
  );
  assert.equal([request.url, request.headers.authorization], ["/own/path", "Bearer x"]);
  assert.equal(
    [attributes["service.name"], attributes["service.instance.id"]],
    ["orders", "pod-7"],
  );
});

test("prefers the setting to the variable for traces", async () => {
  const { request } = await send(
    (url) => ({ collector: url, traceSampleEvery: 1 }),
    () => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/other" }),
  );
  assert.is(request.url, "/v1/traces");
});

test("sends nothing if traces are disabled, or without a collector", () => {
  const defaults = { collector: null, traceSampleEvery: 1 };
  assert.is(createTracer(defaults, instance, {}), null);
  const some = { collector: "http://127.0.0.1:9", traceSampleEvery: 1 };
  assert.is(createTracer(some, instance, { OTEL_SDK_DISABLED: "true" }), null);
});

test("samples as the variable says, unless the setting says otherwise", () => {
  const off = { OTEL_TRACES_SAMPLER: "always_off" };
  const collector = "http://127.0.0.1:9";
  const usual = createTracer({ collector, traceSampleEvery: 1 }, instance, off)!;
  assert.is(usual.begin(null, false, 0), null);
  const tracer = createTracer({ collector, traceSampleEvery: 2 }, instance, off)!;
  assert.ok(tracer.begin(null, false, 0) !== null);
});

test.run();
