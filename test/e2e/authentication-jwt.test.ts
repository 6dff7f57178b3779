// JSON Web Tokens of an identity provider, from the socket to the plugin.
// limit: 60 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TokenIssuer } from "../support/token-issuer.js";
import { buildProject, get, type Served, serve } from "./support/server.js";
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
  server: Served;
}

const test = suite<Context>("authentication by JSON Web Tokens");

test.before(async (context) => {
  context.issuer = await TokenIssuer.start();
  context.project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "src/auth.ts": auth(context.issuer.options),
    "svc.config.ts": 'export default { auth: "src/auth.ts#tokens" };\n',
  });
  await buildProject(context.project.folder);
});
test.before.each(async (context) => {
  context.server = await serve(context.project.folder);
});
test.after.each(async ({ server }) => {
  await server.stop();
});
test.after(async ({ issuer, project }) => {
  await issuer.stop();
  project.remove();
});

const ask = ({ server }: Context, token: string, path = "whoami") =>
  get(server.port, `/svc/plugin/${path}`, { headers: { authorization: `Bearer ${token}` } });

test("passes the claims to plugins, and checks scopes", async (context) => {
  const { issuer } = context;
  const answer = await ask(context, await issuer.token());
  assert.is(answer.json.response, "ann");
  const refused = await ask(context, await issuer.token(), "order");
  assert.is(refused.status, 403);
  assert.match(refused.text, "orders:write");
  const clerk = await issuer.token({ scope: "orders:read orders:write" });
  assert.is((await ask(context, clerk, "order")).json.response, "placed");
});

test("answers 401 for invalid tokens, and logs nothing of them", async (context) => {
  const { issuer, server } = context;
  const now = Math.floor(Date.now() / 1000);
  const tokens = await Promise.all([
    issuer.token({ exp: now - 60 }),
    issuer.token({ nbf: now + 60 }),
    issuer.token({ aud: "bank" }),
    issuer.token({ iss: "http://evil.test" }),
    issuer.token({}, { kid: "unknown" }),
  ]);
  const valid = await issuer.token();
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${valid.split(".")[1]}.`;
  const long = `${"a".repeat(8000)}.${"b".repeat(8000)}.c`;
  for (const token of [...tokens, none, `${none}x`, long, `${valid}x`, "secret"]) {
    const { status, headers } = await ask(context, token);
    assert.is(status, 401, token.slice(0, 200));
    assert.is(headers.get("www-authenticate"), "Bearer");
  }
  const log = server.log() + server.output();
  for (const token of [...tokens, none, long]) {
    for (const part of token.split(".").filter(({ length }) => length > 9)) {
      assert.not.ok(log.includes(part));
    }
  }
});

test("follows a rotation of keys", async (context) => {
  const { issuer } = context;
  const former = await issuer.token();
  assert.is((await ask(context, former)).status, 200);
  await issuer.useKeys("second");
  const token = await issuer.token();
  while ((await ask(context, token)).status !== 200) {
    await delay(200);
  }
  assert.is((await ask(context, former)).status, 200, "verified before");
  await issuer.useKeys("first");
});

for (const [what, body] of [
  ["hangs", null],
  ["answers garbage", "<html>"],
] as const) {
  test(`answers 503 while an issuer ${what} that never gave keys`, async (context) => {
    const { issuer, server } = context;
    await server.stop();
    issuer.answer((response) => void (body !== null && response.end(body)));
    context.server = await serve(context.project.folder);
    const token = await issuer.token();
    const refused = await ask(context, token);
    assert.is(refused.status, 503);
    assert.is(refused.headers.get("retry-after"), "2");
    const logged = "authentication: keys not fetched from http://127.0.0.1:";
    while (!context.server.log().includes(logged)) await delay(20);
    assert.not.ok(context.server.log().includes(token.split(".")[2]!));
    assert.is((await get(context.server.port, "/svc/hc")).status, 200);
    issuer.answer(null);
  });
}

test.run();
