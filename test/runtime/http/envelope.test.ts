// Bytes of the envelope: key order, separators, decimals.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorEnvelope, okEnvelope, serviceEnvelope } from "../../../runtime/http/envelope.js";

const test = suite("envelope");

test("omits port and executor for a plugin", () => {
  assert.is(
    okEnvelope('{"a":1}', 0.0814),
    '{"status": "OK", "response": {"a":1}, "level": 0, "partitions": null, "exec_ms": 0.081}',
  );
});

test("names level and partitions for a matrix", () => {
  assert.is(
    okEnvelope("[]", 12, { level: 1, partitions: [4, 0, 4], coverage: null, explain: null }),
    '{"status": "OK", "response": [], "level": 1, "partitions": [4, 0, 4], "exec_ms": 12.000}',
  );
});

test("puts an explanation last, in results and errors", () => {
  const hierarchy = { level: 0, partitions: null, coverage: null, explain: '{"ms":{}}' } as const;
  assert.match(okEnvelope("1", 12, hierarchy), /"exec_ms": 12.000, "explain": \{"ms":\{\}\}\}$/);
  const error = errorEnvelope('"no"', 9000, 0, 0, 0, hierarchy);
  assert.match(error, /"exec_ms": 0.000, "explain": \{"ms":\{\}\}\}$/);
});

test("includes the port for a built-in service", () => {
  assert.is(
    serviceEnvelope("true", 9001, 1, 1.5),
    '{"status": "OK", "response": true, "port": [9001, 1], "exec_id": 0, ' +
      '"level": 0, "partitions": null, "exec_ms": 1.500}',
  );
});

test("has a message instead of a response for an error", () => {
  assert.is(
    errorEnvelope('"Service Out"', 9000, 0, 0, 0),
    '{"status": "ERROR", "message": "Service Out", "port": [9000, 0], "exec_id": 0, ' +
      '"level": 0, "partitions": null, "exec_ms": 0.000}',
  );
});

test("writes milliseconds with three decimals, never negative", () => {
  const shown = (ms: number): string => /"exec_ms": (.*)}$/.exec(okEnvelope("0", ms))![1]!;
  assert.is(shown(0.0004), "0.000");
  assert.is(shown(0.9996), "1.000");
  assert.is(shown(7.05), "7.050");
  assert.is(shown(123456.789), "123456.789");
  assert.is(shown(-0.002), "0.000");
});

test.run();
