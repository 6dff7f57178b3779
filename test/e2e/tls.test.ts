// TLS for operators: both ports of `svc serve`, renewed certificates, and a matrix with mutual TLS
// between dispatcher and back-ends.
// limit: 60 s
// takes 20 s

import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BELIEVES, certificateFile, KNOWN_CLIENT } from "../support/certificates.js";
import { assertFiring } from "./support/firing-alerts.js";
import { buildProject, fixture, type RunningServer, serve } from "./support/server.js";

const test = suite<{ folder: string; servers: RunningServer[] }>("tls");

test.before(async (context) => {
  context.servers = [];
  context.folder = mkdtempSync(join(tmpdir(), "svc-tls-"));
  for (const part of ["", "-key"]) {
    cpSync(certificateFile(`server${part}.pem`), join(context.folder, `cert${part}.pem`));
  }
  await buildProject(fixture("engine"));
});
test.after.each(async ({ servers }) => {
  await Promise.all(servers.splice(0).map((server) => server.end()));
});
test.after(({ folder }) => rmSync(folder, { recursive: true }));

/** No certificate of the tests is valid for so long. */
const LONG_S = 200 * 365 * 86_400;

interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  /** Subject of the server's certificate. */
  readonly subject: string;
}

function call(port: number, path: string, client: object = BELIEVES): Promise<ReceivedResponse> {
  const options = { host: "127.0.0.1", port, path, agent: false, ...client };
  return new Promise((resolve, reject) => {
    const sentRequest = request(options, (response) => {
      const subject = (response.socket as TLSSocket).getPeerCertificate().subject.CN as string;
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode!, text, subject }));
    });
    sentRequest.on("error", reject).end();
  });
}

test("both ports accept only TLS, and the start line shows it", async ({ folder, servers }) => {
  const files = `${join(folder, "cert.pem")},${join(folder, "cert-key.pem")}`;
  const server = await serve(fixture("engine"), "--tls", files);
  servers.push(server);
  const { port } = server;
  assert.match(
    server.output(),
    `on https://127.0.0.1:${port} (admin https://127.0.0.1:${port + 1})`,
  );
  assert.match((await call(port, "/svc/plugin/add?a=1&b=2")).text, '"response": 3');
  assert.is((await call(port + 1, "/svc/hc")).text, "SVC/3");
  // It sends requests to itself.
  const { text } = await call(port + 1, "/svc/builtin/system_overview");
  assert.is(JSON.parse(text).response.instances[0].hc, "SVC/3");
  const metrics = (await call(port + 1, "/metrics")).text;
  assertFiring(metrics, metrics, []);
  // Some day it expires.
  assertFiring(metrics, metrics, ["SvcCertificateExpiry"], { laterS: LONG_S });
  const plainResponse = await fetch(`http://127.0.0.1:${port}/svc/hc`).catch(() => null);
  assert.is(plainResponse, null);
});

test("renewed certificates are served without a restart", async ({ folder, servers }) => {
  const paths = { cert: join(folder, "cert.pem"), key: join(folder, "cert-key.pem") };
  const server = await serve(fixture("engine"), "--tls", `${paths.cert},${paths.key}`);
  servers.push(server);
  assert.is((await call(server.port, "/svc/hc")).subject, "svc test server");
  for (const [from, to] of [
    ["renewed.pem", paths.cert],
    ["renewed-key.pem", paths.key],
  ] as const) {
    cpSync(certificateFile(from), `${to}.new`);
    renameSync(`${to}.new`, to);
  }
  for (const port of [server.port, server.port + 1]) {
    while ((await call(port, "/svc/hc")).subject !== "svc test server renewed") await sleep(50);
  }
  // An invalid file is reported and changes nothing.
  writeFileSync(paths.cert, "nonsense");
  while (!server.log().includes("keeping the previous certificates")) await sleep(50);
  assert.match(server.log(), "http.tls.cert");
  assert.is((await call(server.port, "/svc/hc")).subject, "svc test server renewed");
});

test("a start without its certificate files fails and names them", async ({ folder }) => {
  const missing = join(folder, "none.pem");
  const error = await serve(fixture("engine"), "--tls", `${missing},${missing}`).then(
    () => null,
    (thrown: Error) => thrown,
  );
  assert.match(error!.message, "SVC2940");
  assert.match(error!.message, `http.tls.cert cannot be read: ENOENT`);
});

test("dispatcher and back-ends authenticate each other", async (context) => {
  const { folder, servers } = context;
  const server = `${certificateFile("server.pem")},${certificateFile("server-key.pem")}`;
  const guarded = `${server},${certificateFile("ca.pem")}`;
  const backEnd = await serve(fixture("engine"), "--tls", guarded);
  servers.push(backEnd);
  const rejectedResponse = await call(backEnd.port, "/svc/hc").catch(() => null);
  assert.is(rejectedResponse, null, "who has no certificate");

  const client = { cert: certificateFile("client.pem"), key: certificateFile("client-key.pem") };
  const dispatcher = async (name: string, tls: object): Promise<RunningServer> => {
    const file = join(folder, `${name}.json`);
    const partitions = [[{ host: "127.0.0.1", port: backEnd.port }]];
    writeFileSync(file, JSON.stringify({ partitions, replicas: [{}], options: { tls } }));
    const server = await serve(fixture("engine"), "--role", "dispatcher", "--dispatcher", file);
    servers.push(server);
    return server;
  };
  const ca = certificateFile("ca.pem");
  const get = async ({ port }: RunningServer): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/svc/plugin/add?a=1&b=2`);
  /** A back-end may be probed once more before it counts as healthy. */
  const fetchOnce = async (server: RunningServer): Promise<Response> => {
    for (;;) {
      const response = await get(server);
      if (response.status !== 503) return response;
      await sleep(50);
    }
  };
  const reply = await fetchOnce(await dispatcher("good", { ca, ...client }));
  assert.is(reply.status, 200);
  assert.match(await reply.text(), '"response": 3');

  for (const [name, tls] of Object.entries({
    believesNobody: client,
    hasNoCertificate: { ca },
    wantsAnotherName: { ca, ...client, name: "other.test" },
  })) {
    assert.is((await get(await dispatcher(name, tls))).status, 503, name);
  }
  const named = await dispatcher("named", { ca, ...client, name: "service.test" });
  assert.is((await fetchOnce(named)).status, 200);
  assert.is((await call(backEnd.port, "/svc/hc", KNOWN_CLIENT)).text, "SVC/3");
});

test.run();
