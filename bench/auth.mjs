// Cost of authentication: requests per second of a trivial plugin with API keys and with JSON Web
// Tokens, against the same server without. All requests carry the same header fields.
//
//   node auth.mjs [--rounds 5] [--seconds 2]

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { medians, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGIN = `import type { int, PluginRequest } from "svc-server";

/** Doubles. @plugin */
export function double(_request: PluginRequest, n: int): number {
  return n * 2;
}
`;
const LOAD = { path: "/svc/plugin/double?n=123", connections: 32 };

requireWrk();
const { rounds, seconds } = readOptions({ rounds: 5, seconds: 2 });
const issuer = await startIssuer();
const servers = new Map();
try {
  for (const [name, handler] of [
    ["none", null],
    ["apiKeys", 'apiKeys({ file: "keys.json" })'],
    ["jwt", `jwt({ issuer: "bench", audience: "bench", jwks: "${issuer.url}" })`],
  ]) {
    const server = await startServer(handler);
    servers.set(name, server);
  }
  await measure(1, 1);
  report(await measure(rounds, seconds));
} finally {
  await Promise.all([...servers.values()].map((server) => server.stop()));
  issuer.close();
}

function startServer(handler) {
  const sha256 = createHash("sha256").update(issuer.token).digest("hex");
  const project = makeProject({
    "plugins/double.ts": PLUGIN,
    "keys.json": JSON.stringify([{ sha256, sub: "ann" }]),
    "src/auth.ts": `import { apiKeys, jwt } from "svc-server";\nexport const auth = ${handler};\n`,
    ...(handler !== null && { "svc.config.ts": 'export default { auth: "src/auth.ts#auth" };\n' }),
  });
  build(project);
  return startSvc(project);
}

/** @returns {Promise<Map<string, object>>} medians by handler */
async function measure(count, secondsEach) {
  const samples = new Map([...servers.keys()].map((name) => [name, []]));
  for (let round = 0; round < count; round++) {
    for (const [name, server] of servers) {
      const options = { ...LOAD, seconds: secondsEach, token: issuer.token };
      samples.get(name).push(await load(server, options));
    }
  }
  return new Map([...samples].map(([name, list]) => [name, medians(list)]));
}

function report(samples) {
  const base = samples.get("none");
  const rows = [...samples].map(([name, { perSecond, cpuUs, p50Us, p99Us }]) => {
    const ratio = (perSecond / base.perSecond).toFixed(3);
    return [name, Math.round(perSecond), ratio, cpuUs.toFixed(1), p50Us, p99Us];
  });
  printTable(["auth", "requests/s", "x none", "CPU us/request", "p50 us", "p99 us"], rows);
  printOtherWork([...samples.values()]);
  const ratio = (name) => samples.get(name).perSecond / base.perSecond;
  printTargets([
    { label: "requests/s, apiKeys", value: ratio("apiKeys"), unit: "x none", atLeast: 0.95 },
    { label: "requests/s, jwt", value: ratio("jwt"), unit: "x none", atLeast: 0.9 },
  ]);
}

/** Creates an issuer with one key, and a token that is valid for an hour. */
async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "a", alg: "ES256" }];
  const server = createServer((_, response) => response.end(JSON.stringify({ keys })));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const token = await new SignJWT({ iss: "bench", aud: "bench", sub: "ann", exp })
    .setProtectedHeader({ alg: "ES256", kid: "a" })
    .sign(privateKey);
  const close = () => server.close();
  return { url: `http://127.0.0.1:${server.address().port}`, token, close };
}
