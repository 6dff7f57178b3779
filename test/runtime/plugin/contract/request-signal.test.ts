// The signal of a request: asked for before, after, or never.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RequestSignal } from "../../../../runtime/plugin/contract/request-signal.js";

const test = suite("signal of a request");

test("one that was asked for in time aborts, once", () => {
  const request = new RequestSignal();
  const signal = request.get();
  assert.is(signal.aborted, false);
  request.abort("TimeoutError");
  request.abort("AbortError");
  request.over();
  assert.is((signal.reason as DOMException).name, "TimeoutError");
  assert.is(request.get(), signal);
});

test("one that was asked for too late has aborted, with the same reason", () => {
  for (const name of ["AbortError", "TimeoutError"] as const) {
    const request = new RequestSignal();
    request.abort(name);
    request.over();
    assert.is(request.get().aborted, true);
    assert.is((request.get().reason as DOMException).name, name);
  }
});

test("after the answer, a new one has aborted, and one given before does not", () => {
  const request = new RequestSignal();
  request.over();
  assert.is((request.get().reason as DOMException).name, "AbortError");
  const early = new RequestSignal();
  const signal = early.get();
  early.over();
  early.abort("AbortError");
  assert.is(signal.aborted, false);
});

test.run();
