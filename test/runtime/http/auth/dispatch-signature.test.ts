// Signatures of dispatchers hold for one request and a minute, and for nothing else.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DispatchSignature } from "../../../../runtime/http/auth/dispatch-signature.js";

const test = suite("signatures of dispatchers");
const KEY = "k".repeat(32);
const NOW = 1_790_000_000_000;
const REQUEST = { method: "POST", target: "/svc/plugin/x?a=1", body: "body \xff" };
const ORIGIN = {
  principal: '{"name":"Zoë"}',
  client: "2001:db8::1",
  isTrusted: false,
  isGuarded: true,
};
const signature = new DispatchSignature(KEY);
const VALUE = signature.sign(REQUEST, ORIGIN, NOW);
/** An instance that has not received anything yet. */
const receiver = () => new DispatchSignature(KEY);

test("carry principal, client and trust", () => {
  assert.equal(receiver().verify(REQUEST, VALUE, NOW), ORIGIN);
  const bytes = Buffer.from(REQUEST.body, "latin1");
  assert.equal(receiver().verify({ ...REQUEST, body: bytes }, VALUE, NOW), ORIGIN);
  const anonymous = { principal: null, client: "10.0.0.1", isTrusted: true, isGuarded: false };
  const get = { method: "GET", target: "/", body: null };
  assert.equal(receiver().verify(get, signature.sign(get, anonymous, NOW), NOW), anonymous);
});

test("carry principals as large as a header line allows", () => {
  for (const text of ["x", "ä", "€", "\u{1f600}", '"', "\\", "\n"]) {
    const withGroups = (count: number) => ({
      ...ORIGIN,
      client: "2001:db8:1234:1234:1234:1234:1234:1234",
      principal: JSON.stringify({ groups: text.repeat(count) }),
    });
    let count = 0;
    while (signature.fits(withGroups(count + 1))) count++;
    assert.ok(Buffer.byteLength(withGroups(count).principal) > 2800, `${count} of ${text}`);
    const value = signature.sign(REQUEST, withGroups(count), NOW);
    assert.ok(`X-SVC-Signed: ${value}`.length < 8191, text);
    assert.equal(receiver().verify(REQUEST, value, NOW), withGroups(count));
  }
});

/** Asserts that a receiver reports why a signature is invalid. */
function assertRefused(value: string, expected: RegExp, request = REQUEST, now = NOW): void {
  assert.match(receiver().verify(request, value, now) as string, expected);
}

test("are valid for no other request", () => {
  for (const change of [
    { method: "GET" },
    { target: "/svc/plugin/x?a=2" },
    { target: "/svc/plugin/y?a=1" },
    { body: "another body" },
    { body: null },
    { method: "POST\n/svc", target: "plugin/x?a=1" },
  ]) {
    assertRefused(VALUE, /is invalid; compare http/, { ...REQUEST, ...change } as typeof REQUEST);
  }
});

test("are valid for a minute", () => {
  assert.equal(receiver().verify(REQUEST, VALUE, NOW + 59_000), ORIGIN);
  assertRefused(VALUE, /signed 61 s ago; compare the clocks/, REQUEST, NOW + 61_000);
  assertRefused(VALUE, /signed 61 s in the future; /, REQUEST, NOW - 61_000);
});

test("follow the system clock, which can be set while a process runs", () => {
  const { now } = Date;
  const value = signature.sign(REQUEST, ORIGIN);
  Date.now = () => now() + 300_000;
  try {
    assert.equal(receiver().verify(REQUEST, signature.sign(REQUEST, ORIGIN)), ORIGIN);
    assert.match(receiver().verify(REQUEST, value) as string, /signed 300 s ago/);
  } finally {
    Date.now = now;
  }
});

test("are accepted once by each instance", () => {
  const first = receiver();
  const second = receiver();
  for (const instance of [first, second]) {
    assert.equal(instance.verify(REQUEST, VALUE, NOW), ORIGIN);
    for (const timeMs of [NOW, NOW + 1000, NOW + 59_000]) {
      assert.match(instance.verify(REQUEST, VALUE, timeMs) as string, /was used before/);
    }
  }
  // Another attempt to send the same request has a signature of its own.
  assert.equal(first.verify(REQUEST, signature.sign(REQUEST, ORIGIN, NOW), NOW), ORIGIN);
});

test("need the key, and are not malleable", () => {
  assertRefused(new DispatchSignature(`${KEY}x`).sign(REQUEST, ORIGIN, NOW), /is invalid/);
  for (let index = 0; index < VALUE.length; index++) {
    const replacement = VALUE[index] === "A" ? "B" : "A";
    const forged = VALUE.slice(0, index) + replacement + VALUE.slice(index + 1);
    // The last characters of base64url have unused bits.
    const isSame = typeof receiver().verify(REQUEST, forged, NOW) !== "string";
    assert.ok(!isSame || index === VALUE.length - 1, forged);
  }
  for (const text of ["", ".", "a.b", VALUE.split(".")[0]!, `${VALUE}.x`, "x".repeat(20_000)]) {
    assertRefused(text, /is invalid/);
  }
});

test.run();
