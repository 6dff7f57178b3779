// Recording of failed calls: only on request, and bounded for any client input.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enableFailedCallCapture, failedCalls } from "../../../runtime/base/failed-calls.js";
import type { RequestSource } from "../../../runtime/plugin/contract/request-source.js";
import { reportFailedCall } from "../../../runtime/plugin/run/report-failed-call.js";

const test = suite("failed calls");

const source = (target: string, body: string) =>
  ({ method: "POST", target, body }) as unknown as RequestSource;

test("records nothing before it is requested", () => {
  reportFailedCall(new Error("x"), "Error: x", source("/a", "b"));
  assert.equal(failedCalls(), []);
});

test("records a call with its request, and truncates the largest one", () => {
  enableFailedCallCapture();
  reportFailedCall("no error", "no error", source("/svc/plugin/p?q=\xc3\xa4", "\xe2\x82\xac"));
  const bad = "\u0001".repeat(100_000);
  reportFailedCall(new Error(bad), bad, source(bad, bad));
  const [first, worst] = failedCalls();
  assert.equal(
    [first!.method, first!.target, first!.body, first!.text, first!.frame],
    ["POST", "/svc/plugin/p?q=ä", "€", "no error", null],
  );
  assert.ok(worst!.target.length > 1000 && worst!.text.length > 1000);
});

test("keeps the last twenty calls", () => {
  for (let n = 1; n <= 30; n++) reportFailedCall("x", String(n), source("/", ""));
  const texts = failedCalls().map(({ text }) => text);
  assert.equal([texts.length, texts[0], texts.at(-1)], [20, "11", "30"]);
});

test.run();
