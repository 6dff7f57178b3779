// The effect of each OpenTelemetry environment variable. Invalid values change nothing.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readOtelEnvironment } from "../../../../runtime/base/tracing/otel-environment.js";

const test = suite("variables of OpenTelemetry");

const NONE = {
  isDisabled: false,
  url: null,
  headers: {},
  timeoutMs: null,
  attributes: {},
  sampleEvery: null,
};

test("reads nothing from an empty environment", () => {
  assert.equal(readOtelEnvironment({}), NONE);
  assert.equal(readOtelEnvironment({ OTEL_SERVICE_NAME: "", OTEL_RESOURCE_ATTRIBUTES: "" }), NONE);
});

test("prefers variables for traces to those for all signals", () => {
  const environment = readOtelEnvironment({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c.example/otlp/traces",
    OTEL_EXPORTER_OTLP_HEADERS: "a=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "api-key=s%20ecret, b=x=y",
    OTEL_EXPORTER_OTLP_TIMEOUT: "9000",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "800",
  });
  assert.is(environment.url, "https://c.example/otlp/traces");
  assert.equal(environment.headers, { "api-key": "s ecret", b: "x=y" });
  assert.is(environment.timeoutMs, 800);
});

test("reads attributes of the resource, with the service name of its own variable", () => {
  const { attributes } = readOtelEnvironment({
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=staging,service.name=other",
    OTEL_SERVICE_NAME: "shop",
  });
  assert.equal(attributes, { "deployment.environment": "staging", "service.name": "shop" });
});

for (const [sampler, argument, every] of [
  ["always_on", undefined, 1],
  ["parentbased_always_off", undefined, 0],
  ["traceidratio", "0.1", 10],
  ["parentbased_traceidratio", "0", 0],
  ["traceidratio", "2", null],
  ["jaeger_remote", undefined, null],
] as const) {
  test(`samples as ${sampler} ${argument ?? ""}`, () => {
    const environment = readOtelEnvironment({
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: argument,
    });
    assert.is(environment.sampleEvery, every);
  });
}

test("ignores invalid values", () => {
  const environment = readOtelEnvironment({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317",
    OTEL_EXPORTER_OTLP_HEADERS: "a,=b,c=%zz,d=x%0d%0ay,e f=1,ok=1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
  });
  assert.equal(environment, { ...NONE, headers: { ok: "1" } });
});

test("disables traces", () => {
  assert.is(readOtelEnvironment({ OTEL_SDK_DISABLED: "TRUE" }).isDisabled, true);
});

test.run();
