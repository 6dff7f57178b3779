// The signal of a request: read before the abort, after it, or never.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RequestSignal } from "../../../../runtime/plugin/contract/request-signal.js";

const test = suite("request signal");

test("aborts once if it was read before", () => {
  const request = new RequestSignal();
  const signal = request.get();
  assert.is(signal.aborted, false);
  request.abort("TimeoutError");
  request.abort("AbortError");
  request.over();
  assert.is((signal.reason as DOMException).name, "TimeoutError");
  assert.is(request.get(), signal);
});

test("is aborted with the same reason if it is read later", () => {
  for (const name of ["AbortError", "TimeoutError"] as const) {
    const request = new RequestSignal();
    request.abort(name);
    request.over();
    assert.is(request.get().aborted, true);
    assert.is((request.get().reason as DOMException).name, name);
  }
});

test("is aborted when read after the response, while an earlier one is not", () => {
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
