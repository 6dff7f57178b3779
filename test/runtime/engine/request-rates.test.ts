// Which requests of the main port are counted together.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RequestRates } from "../../../runtime/engine/request-rates.js";
import type { Exchange } from "../../../runtime/http/transport.js";
import { fakeExchange } from "../builtin/fake-view.js";

const test = suite("request rates");
const PATH = "/svc/plugin/x";
const ORIGIN = { principal: null, client: "192.0.2.1", isTrusted: false, isGuarded: true };

function from(forwardedFor: string, parts: Partial<Exchange> = {}): Exchange {
  return { ...fakeExchange(PATH), forwardedFor, ...parts };
}

test("count by principal, and by client without one", () => {
  const rates = new RequestRates({ by: "principal", perMinute: 1 });
  assert.is(rates.take(from("192.0.2.1", { principal: '{"sub":"ann"}' }), PATH), null);
  assert.is(rates.take(from("192.0.2.2", { principal: '{"sub":"ann"}' }), PATH)?.status, 429);
  assert.is(rates.take(from("192.0.2.1", { principal: '{"sub":"ben"}' }), PATH), null);
  assert.is(rates.take(from("192.0.2.1"), PATH), null);
  assert.is(rates.take(from("192.0.2.1"), PATH)?.status, 429);
  assert.is(rates.take(from("192.0.2.2"), PATH), null);
});

test("count by client", () => {
  const rates = new RequestRates({ by: "client", perMinute: 1 });
  assert.is(rates.take(from("192.0.2.11", { principal: '{"sub":"cem"}' }), PATH), null);
  const { status, message, fields } = rates.take(from("192.0.2.11"), PATH)!;
  assert.is(status, 429);
  assert.is(message, "more than 1 requests per minute");
  assert.match(fields, /^Retry-After: \d+\r\nRateLimit-Policy: "http";q=1;w=60\r\nRateLimit: /);
});

test("exclude probes, warm-up calls and requests signed by a dispatcher", () => {
  const rates = new RequestRates({ by: "client", perMinute: 1 });
  for (let index = 0; index < 3; index++) {
    assert.is(rates.take(from("192.0.2.21"), "/svc/hc"), null);
    assert.is(rates.take(from("192.0.2.21", { isWarmUp: true }), PATH), null);
    assert.is(rates.take(from("192.0.2.21", { signedOrigin: ORIGIN }), PATH), null);
  }
  assert.is(new RequestRates(null).take(from("192.0.2.21"), PATH), null);
});

test.run();
