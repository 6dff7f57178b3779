// Keys of an issuer: rotation, and issuers that are down, hang or answer garbage.

import type { ServerResponse } from "node:http";
import { createLocalJWKSet, jwtVerify } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeySet } from "../../../../runtime/http/auth/key-set.js";
import { TokenIssuer } from "../../../support/token-issuer.js";

/** Time between requests to the issuer. */
const INTERVAL_MS = 50;
/** Longer than a wait for new keys. */
const TIMING = { intervalMs: INTERVAL_MS, timeoutMs: 800 };

const test = suite<{ issuer: TokenIssuer }>("KeySet");

test.before.each(async (context) => {
  context.issuer = await TokenIssuer.start();
});
test.after.each(({ issuer }) => issuer.stop());

const keysAt = ({ url }: TokenIssuer, now = () => performance.now()) =>
  new KeySet(`${url}/keys`, createLocalJWKSet, { ...TIMING, now });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The status that a token leads to. */
async function statusFor(keys: KeySet, token: string): Promise<number> {
  return jwtVerify(token, keys.find).then(
    () => 200,
    ({ status = 401 }: { status?: number }) => status,
  );
}

test("fetches keys once for many tokens", async ({ issuer }) => {
  const keys = keysAt(issuer);
  const token = await issuer.token();
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusFor(keys, token)));
  assert.equal([...new Set(statuses)], [200]);
  assert.is(issuer.requests, 1);
});

test("follows a rotation of keys", async ({ issuer }) => {
  const keys = keysAt(issuer);
  const previousToken = await issuer.token();
  assert.is(await statusFor(keys, previousToken), 200);
  await issuer.useKeys("second", "first");
  const token = await issuer.token();
  await pause(INTERVAL_MS + 10);
  assert.is(await statusFor(keys, token), 200);
  assert.is(await statusFor(keys, previousToken), 401, "signed by a replaced key");
});

test("limits requests for unknown keys", async ({ issuer }) => {
  const keys = new KeySet(`${issuer.url}/keys`, createLocalJWKSet);
  for (let index = 0; index < 50; index++) {
    assert.is(await statusFor(keys, await issuer.token({}, { kid: `unknown ${index}` })), 401);
  }
  assert.is(issuer.requests, 1);
});

const garbage: readonly [what: string, status: number, body: string][] = [
  ["a page", 200, "<html>"],
  ["an empty body", 200, ""],
  ["null", 200, "null"],
  ["keys that are no list", 200, '{ "keys": 1 }'],
  ["keys that are no objects", 200, '{ "keys": [1] }'],
  ["an error", 500, '{ "keys": [] }'],
  ["too much", 200, `{ "keys": [], "x": "${"x".repeat(2 ** 21)}" }`],
];
for (const [label, status, body] of garbage) {
  test(`responds with 503 for ${label}, and recovers`, async ({ issuer }) => {
    issuer.setResponder((response) => response.writeHead(status).end(body));
    const keys = keysAt(issuer);
    const token = await issuer.token();
    assert.is(await statusFor(keys, token), 503);
    issuer.setResponder(null);
    await pause(INTERVAL_MS + 10);
    assert.is(await statusFor(keys, token), 200);
  });
}

test("follows no redirect", async ({ issuer }) => {
  const otherIssuer = await TokenIssuer.start();
  issuer.setResponder((response) =>
    response.writeHead(302, { location: `${otherIssuer.url}/keys` }).end(),
  );
  assert.is(await statusFor(keysAt(issuer), await otherIssuer.token()), 503);
  assert.is(otherIssuer.requests, 0);
  await otherIssuer.stop();
});

test("responds with 401 for a key without its parameters", async ({ issuer }) => {
  const invalidKeys =
    '{ "keys": [{ "kty": "EC", "crv": "P-256", "kid": "first", "alg": "ES256" }] }';
  issuer.setResponder((response) => response.end(invalidKeys));
  assert.is(await statusFor(keysAt(issuer), await issuer.token()), 401);
});

test("gives up on an issuer that hangs, and keeps its cached keys", async ({ issuer }) => {
  const keys = keysAt(issuer);
  const token = await issuer.token();
  assert.is(await statusFor(keys, token), 200);
  // A head and no body.
  issuer.setResponder((response) => response.writeHead(200).write("{"));
  await pause(INTERVAL_MS + 10);
  const unknown = await issuer.token({}, { kid: "unknown" });
  const waiting = statusFor(keys, unknown);
  assert.is(await statusFor(keys, token), 200, "known keys need no request");
  assert.is(await waiting, 401);
  assert.is(await statusFor(keysAt(issuer), token), 503);
});

const HOUR_MS = 60 * 60_000;

for (const [label, respond] of [
  ["hangs", () => {}],
  ["answers garbage", (response) => response.end("<html>")],
  ["answers errors", (response) => response.writeHead(500).end()],
] as [what: string, respond: (response: ServerResponse) => void][]) {
  test(`uses former keys for a day while an issuer ${label}`, async ({ issuer }) => {
    let nowMs = 0;
    const keys = keysAt(issuer, () => nowMs);
    const token = await issuer.token();
    assert.is(await statusFor(keys, token), 200);
    issuer.setResponder(respond);
    nowMs += HOUR_MS;
    assert.is(await statusFor(keys, token), 200, "waits briefly");
    // The request for keys is pending, or has failed: no token waits for it.
    const pending = Promise.all([statusFor(keys, token), statusFor(keys, token)]);
    const first = await Promise.race([pending, pause(400)]);
    assert.equal(first, [200, 200]);
    nowMs += 22 * HOUR_MS;
    assert.is(await statusFor(keys, token), 200);
    nowMs += 2 * HOUR_MS;
    assert.is(await statusFor(keys, token), 503, "older than a day");
    issuer.setResponder(null);
    nowMs += HOUR_MS;
    assert.is(await statusFor(keys, token), 200, "recovers");
  });
}

test("forgets a removed key once the keys are ten minutes old", async ({ issuer }) => {
  let nowMs = 0;
  const keys = keysAt(issuer, () => nowMs);
  const previousToken = await issuer.token();
  assert.is(await statusFor(keys, previousToken), 200);
  await issuer.useKeys("second");
  nowMs += 9 * 60_000;
  assert.is(await statusFor(keys, previousToken), 200);
  nowMs += 2 * 60_000;
  assert.is(await statusFor(keys, previousToken), 401);
});

test("responds with 503 if nothing listens", async ({ issuer }) => {
  const token = await issuer.token();
  const closedIssuer = await TokenIssuer.start();
  const keys = keysAt(closedIssuer);
  await closedIssuer.stop();
  assert.is(await statusFor(keys, token), 503);
});

test.run();
