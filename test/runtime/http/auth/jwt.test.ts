// JSON Web Tokens: accepted and rejected ones, the principal, and the cache of verified ones.

import { createHmac } from "node:crypto";
import type { JWTPayload } from "jose";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AuthHandler } from "../../../../runtime/http/auth/auth-handler.js";
import { type JwtOptions, jwt } from "../../../../runtime/http/auth/jwt.js";
import { bearer, headWith } from "../../../support/bearer-head.js";
import { TokenIssuer } from "../../../support/token-issuer.js";

const test = suite("jwt");
let issuer: TokenIssuer;

test.before(async () => {
  issuer = await TokenIssuer.start();
});
test.after(() => issuer.stop());

async function handlerWith(changes: Partial<JwtOptions> = {}): Promise<AuthHandler> {
  const handler = jwt({ ...issuer.options, ...changes });
  await handler.open?.(process.cwd());
  return handler;
}

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token with any header, signed by a shared secret or not at all. */
function forge(header: object, secret: string | null): string {
  const claims = { iss: issuer.url, aud: "shop", sub: "eve", exp: seconds(60) };
  const content = `${encode(header)}.${encode(claims)}`;
  if (secret === null) return `${content}.`;
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

test("returns the claims, with the permissions as scopes", async () => {
  const handler = await handlerWith();
  const principal = await handler(bearer(await issuer.token({ scope: "a b" })));
  assert.equal(principal?.scopes, ["a", "b"]);
  assert.is((principal as JWTPayload).sub, "ann");
  const others = [
    [{ scp: ["a", 1, ""] }, ["a"]],
    [{ scopes: ["admin"] }, []],
    [{ scope: 7 }, []],
  ] as const;
  for (const [claims, scopes] of others) {
    assert.equal((await handler(bearer(await issuer.token({ ...claims }))))?.scopes, scopes);
  }
});

const rejected: readonly [why: string, claims: JWTPayload][] = [
  ["an expired token", { exp: seconds(-31) }],
  ["a token that is not valid yet", { nbf: seconds(40) }],
  ["a token without expiry", { exp: undefined as never }],
  ["another audience", { aud: "bank" }],
  ["no audience", { aud: undefined as never }],
  ["another issuer", { iss: "http://evil.test" }],
];
for (const [label, claims] of rejected) {
  test(`rejects ${label}`, async () => {
    const handler = await handlerWith();
    assert.is(await handler(bearer(await issuer.token(claims))), null);
    assert.is.not(await handler(bearer(await issuer.token())), null);
  });
}

test("tolerates the clock skew, and no more", async () => {
  const [usual, withoutSkew] = [await handlerWith(), await handlerWith({ clockSkewSeconds: 0 })];
  for (const claims of [{ exp: seconds(-10) }, { nbf: seconds(20) }]) {
    const head = bearer(await issuer.token(claims));
    assert.is.not(await usual(head), null);
    assert.is(await withoutSkew(head), null);
  }
});

test("accepts any of several issuers and audiences", async () => {
  const handler = await handlerWith({ audience: ["x", "bank"], issuer: ["y", issuer.url] });
  assert.is.not(await handler(bearer(await issuer.token({ aud: ["z", "bank"] }))), null);
  assert.is(await handler(bearer(await issuer.token())), null);
});

test("rejects unsigned tokens, and signatures by a shared secret", async () => {
  const handler = await handlerWith();
  const published = await (await fetch(`${issuer.url}/keys`)).text();
  const forged = [
    forge({ alg: "none" }, null),
    forge({ alg: "None", kid: "first" }, ""),
    forge({ alg: "HS256", kid: "first" }, published),
    forge({ alg: "HS256", jwk: { kty: "oct", k: "c2VjcmV0" } }, "secret"),
    forge({ kid: "first" }, "secret"),
  ];
  for (const token of forged) assert.is(await handler(bearer(token)), null, token);
});

test("accepts the given algorithms only", async () => {
  const handler = await handlerWith({ algorithms: ["RS256"] });
  assert.is(await handler(bearer(await issuer.token())), null);
});

test("rejects malformed tokens without fetching keys", async () => {
  const handler = await handlerWith();
  const token = await issuer.token();
  await handler(bearer(token));
  const { requests } = issuer;
  const [head = "", payload = "", signature = ""] = token.split(".");
  const invalidTokens = [
    "x",
    "a.b",
    "a.b.c",
    `${head}.${payload}`,
    `${head}.${payload}.${signature.slice(0, -2)}`,
    `${head}.${encode({ sub: "eve" })}.${signature}`,
    `${encode([])}.${payload}.${signature}`,
    `${"A".repeat(16 * 1024 - 4)}.b.c`,
    `${token}.${token}`,
  ];
  for (const token of invalidTokens)
    assert.is(await handler(bearer(token)), null, token.slice(0, 99));
  assert.is(await handler(headWith("")), null);
  assert.is(await handler(headWith("Authorization: Basic abc\r\n")), null);
  assert.is(issuer.requests, requests);
});

test("admits tokens up to 16 KiB", async () => {
  const handler = await handlerWith();
  // Three bytes are four characters.
  const filled = async (bytes: number) => issuer.token({ filling: "f".repeat(bytes) });
  const fits = await filled(11_900);
  assert.ok(fits.length > 16_000 && fits.length <= 16 * 1024, String(fits.length));
  assert.is.not(await handler(bearer(fits)), null);
  assert.is(await handler(bearer(await filled(12_500))), null);
});

test("accepts a verified token at once, until it expires", async () => {
  let calls = 0;
  const principal = ({ sub }: { sub?: unknown }) => ({ name: String(++calls), sub }) as never;
  const handler = await handlerWith({ principal, clockSkewSeconds: 0 });
  const exp = seconds(2);
  const token = await issuer.token({ exp });
  const head = bearer(token);
  const first = await handler(head);
  assert.is(handler(head), first);
  assert.is(handler(bearer(token)), first);
  assert.is(calls, 1);
  const pending = handler(bearer(await issuer.token({ sub: "bob" })));
  assert.is(((await pending) as JWTPayload).sub, "bob");
  while (Date.now() <= exp * 1000) await new Promise((done) => setTimeout(done, 50));
  assert.is(await handler(head), null);
});

test("rejects a token whose claims have no principal", async () => {
  const handler = await handlerWith({ principal: () => null });
  const head = bearer(await issuer.token());
  assert.is(await handler(head), null);
  assert.is(await handler(head), null);
});

const invalidOptions: readonly [option: string, changes: object][] = [
  ["issuer", { issuer: undefined }],
  ["issuer", { issuer: "" }],
  ["issuer", { issuer: [] }],
  ["audience", { audience: undefined }],
  ["audience", { audience: ["a", ""] }],
  ["jwks", { jwks: undefined }],
  ["jwks", { jwks: "keys" }],
  ["jwks", { jwks: "file:///etc/keys" }],
  ["algorithms", { algorithms: [] }],
  ["algorithms", { algorithms: ["none"] }],
  ["algorithms", { algorithms: ["HS256"] }],
  ["clockSkewSeconds", { clockSkewSeconds: -1 }],
  ["clockSkewSeconds", { clockSkewSeconds: Number.NaN }],
  ["clockSkewSeconds", { clockSkewSeconds: 301 }],
];
for (const [option, changes] of invalidOptions) {
  test(`rejects the options ${JSON.stringify(changes)} of ${option}`, () => {
    try {
      jwt({ issuer: "i", audience: "a", jwks: "https://i.test/keys", ...changes } as never);
      assert.unreachable();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      assert.is(code, "SVC2210");
      assert.match(message, `\`${option}\``);
    }
  });
}

test.run();
