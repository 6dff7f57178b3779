// JSON Web Tokens of an identity provider, from the socket to the plugin.
// limit: 60 s
// takes 10 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TokenIssuer } from "../support/token-issuer.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";

/** @plugin */
export function whoami(request: PluginRequest): str {
  return \`\${request.principal?.sub}\`;
}

/** @plugin @scope orders:write */
export function order(request: PluginRequest): str {
  return "placed";
}
`;

const auth = (options: object) => `import { jwt } from "svc-server";

declare global {
  interface SvcPrincipal {
    readonly sub?: string;
  }
}

export const tokens = jwt(${JSON.stringify(options)});
`;

interface Context {
  issuer: TokenIssuer;
  project: TemporaryProject;
  server: RunningServer;
}

const test = suite<Context>("authentication by JSON Web Tokens");

test.before(async (context) => {
  context.issuer = await TokenIssuer.start();
  context.project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "src/auth.ts": auth(context.issuer.options),
    "svc.config.ts": 'export default { auth: "src/auth.ts#tokens", logging: { audit: "log" } };\n',
  });
  await buildProject(context.project.folder);
});
test.before.each(async (context) => {
  context.server = await serve(context.project.folder, "--log-level", "debug");
});
test.after.each(async ({ server }) => {
  await server.end();
});
test.after(async ({ issuer, project }) => {
  await issuer.stop();
  project.remove();
});

const request = ({ server }: Context, token: string, path = "whoami") =>
  get(server.port, `/svc/plugin/${path}`, { headers: { authorization: `Bearer ${token}` } });

test("passes the claims to plugins, and checks scopes", async (context) => {
  const { issuer } = context;
  const response = await request(context, await issuer.token());
  assert.is(response.json.response, "ann");
  const refusedResponse = await request(context, await issuer.token(), "order");
  assert.is(refusedResponse.status, 403);
  assert.match(refusedResponse.text, "orders:write");
  const clerk = await issuer.token({ scope: "orders:read orders:write" });
  assert.is((await request(context, clerk, "order")).json.response, "placed");
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens, each with its reason to be invalid. */
async function invalidTokens(issuer: TokenIssuer): Promise<ReadonlyMap<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const otherIssuer = await TokenIssuer.start();
  const valid = await issuer.token();
  const [head, payload, signature] = valid.split(".") as [string, string, string];
  const long = await issuer.token({ filling: "f".repeat(11_900), aud: "bank" });
  assert.ok(long.length > 16_000, String(long.length));
  const tokens = new Map([
    ["expired", await issuer.token({ exp: now - 60 })],
    ["not yet valid", await issuer.token({ nbf: now + 60 })],
    ["wrong audience", await issuer.token({ aud: "bank" })],
    ["wrong issuer", await issuer.token({ iss: "http://evil.test" })],
    ["unknown key", await issuer.token({}, { kid: "unknown" })],
    ["key of another issuer", await otherIssuer.token({ iss: issuer.url })],
    ["alg none", `${encode({ alg: "none" })}.${payload}.`],
    ["alg none with a signature", `${encode({ alg: "none" })}.${payload}.${signature}`],
    ["alg of a shared secret", `${encode({ alg: "HS256", kid: "first" })}.${payload}.${signature}`],
    ["other claims", `${head}.${encode({ sub: "eve", exp: now + 60 })}.${signature}`],
    ["changed signature", `${head}.${payload}.${signature.slice(0, -4)}AAAA`],
    ["no signature", `${head}.${payload}.`],
    ["16 KB", long],
    ["16 KB of nothing", `${"a".repeat(8000)}.${"b".repeat(8000)}.c`],
    ["more than 16 KB", await issuer.token({ filling: "f".repeat(20_000) })],
    ["two tokens", `${valid}, ${valid}`],
    ["no token", "opaque-secret"],
    ["a claim that is no time", await issuer.token({ exp: "later" as never })],
    ["a time beyond all dates", await issuer.token({ exp: now + 60, nbf: 1e300 })],
  ]);
  await otherIssuer.stop();
  return tokens;
}

test("responds to invalid tokens with 401, and logs no part of them", async (context) => {
  const { issuer, server } = context;
  const tokens = await invalidTokens(issuer);
  for (const [label, token] of tokens) {
    const { status, headers, text } = await request(context, token);
    assert.is(status, 401, label);
    assert.is(headers.get("www-authenticate"), "Bearer");
    assert.not.ok(text.includes(token.slice(-9)), label);
  }
  const { status } = await get(server.port, "/svc/plugin/whoami");
  assert.is(status, 401);
  // A valid one is not logged, either.
  const valid = await issuer.token();
  assert.is((await request(context, valid)).status, 200);
  const log = server.log() + server.output();
  assert.match(log, "audit: refused: method=GET path=/svc/plugin/whoami status=401");
  for (const reason of [
    "ERR_JWT_EXPIRED (exp)",
    "ERR_JWT_CLAIM_VALIDATION_FAILED (aud)",
    "ERR_JWKS_NO_MATCHING_KEY",
    "ERR_JOSE_ALG_NOT_ALLOWED",
    "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  ]) {
    assert.ok(log.includes(`authentication: token refused: ${reason}`), reason);
  }
  for (const [label, token] of [...tokens, ["valid", valid] as const]) {
    for (const part of token.split(/[.,-]/).filter(({ length }) => length > 5)) {
      assert.not.ok(log.includes(part.slice(0, 40)), label);
    }
  }
});

test("follows a rotation of keys", async (context) => {
  const { issuer } = context;
  const previousToken = await issuer.token();
  assert.is((await request(context, previousToken)).status, 200);
  await issuer.useKeys("second");
  const token = await issuer.token();
  while ((await request(context, token)).status !== 200) {
    await delay(200);
  }
  assert.is((await request(context, previousToken)).status, 200, "verified before");
  await issuer.useKeys("first");
});

for (const [label, body] of [
  ["hangs", null],
  ["answers garbage", "<html>"],
] as const) {
  test(`uses cached keys while an issuer ${label}`, async (context) => {
    const { issuer } = context;
    assert.is((await request(context, await issuer.token())).status, 200);
    issuer.setResponder((response) => void (body !== null && response.end(body)));
    const unknownResponse = request(context, await issuer.token({}, { kid: "unknown" }));
    assert.is((await request(context, await issuer.token())).status, 200);
    assert.is((await unknownResponse).status, 401);
    issuer.setResponder(null);
  });

  test(`responds with 503 while an issuer without cached keys ${label}`, async (context) => {
    const { issuer, server } = context;
    await server.stop();
    issuer.setResponder((response) => void (body !== null && response.end(body)));
    context.server = await serve(context.project.folder);
    const token = await issuer.token();
    const refusedResponse = await request(context, token);
    assert.is(refusedResponse.status, 503);
    // Within the deadline for keys, before that for handlers is over.
    assert.match(refusedResponse.text, "no keys of the issuer");
    assert.is(refusedResponse.headers.get("retry-after"), "2");
    assert.is((await request(context, `${token}x`)).status, 503);
    assert.is((await request(context, "opaque")).status, 401);
    const logged = "authentication: keys not fetched from http://127.0.0.1:";
    while (!context.server.log().includes(logged)) await delay(20);
    const log = context.server.log() + context.server.output();
    for (const part of token.split(".")) assert.not.ok(log.includes(part));
    assert.is((await get(context.server.port, "/svc/hc")).status, 200);
    issuer.setResponder(null);
  });
}

test.run();
