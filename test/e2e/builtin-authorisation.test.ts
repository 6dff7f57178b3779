// Every built-in plugin and service, called by untrusted clients: a new one is closed to them until
// it is tagged `@readonly`. And options for trusted clients only.
// limit: 60 s

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { SERVICES } from "../../argspec/services.js";
import { BUILTIN_ALIASES, services } from "../../runtime/builtin/services.js";
import { buildProject, fixture, get, type RunningServer, serve } from "./support/server.js";

const test = suite("authorization of built-ins");
const isOperation = (path: string) => path.startsWith("/svc/builtin/ADMIN_");
const READONLY = new Set(BUILTINS.plugins.filter((p) => p.readonly).map(({ path }) => path));
const PATHS = [
  ...BUILTINS.plugins.map(({ path }) => path),
  ...SERVICES.map(({ path }) => path),
  ...BUILTIN_ALIASES.keys(),
];
const CHANGES = BUILTINS.plugins
  .map(({ path }) => path)
  .filter((path) => !READONLY.has(path) && !isOperation(path));
const OPERATIONS = BUILTINS.plugins.map(({ path }) => path).filter((path) => isOperation(path));
const ARGUMENTS = "graph=people&id=alice&initial=alice&terminal=bob&plugin=feed&neighbor=bob";

/** Changes would be a response without end; this position has none. */
function buildQuery(path: string): string {
  return path.endsWith("/changes") ? `${ARGUMENTS}&since=none` : ARGUMENTS;
}

const root = mkdtempSync(join(tmpdir(), "svc-authorisation-"));
let server: RunningServer;
test.before(async () => {
  await buildProject(fixture("graph-services"));
  server = await serve(fixture("graph-services"), "--root", root);
  await get(server.port, "/svc/plugin/feed");
});
test.after(async () => {
  await server.end();
  rmSync(root, { recursive: true });
});

interface Client {
  readonly to?: string;
  readonly host?: string;
  readonly fields?: readonly string[];
  /** A browser sends it for a cross-origin page. */
  readonly isPage?: boolean;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function request(
  path: string,
  method: "GET" | "POST",
  client: Client,
  port: 0 | 1 = 0,
): Promise<Reply> {
  const { to = "127.0.0.1", host = to, fields = [] } = client;
  const socket = connect(server.port + port, to).setEncoding("utf8");
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...fields];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let received = "";
  for await (const piece of socket) received += piece;
  const text = received.slice(received.indexOf("\r\n\r\n") + 4);
  return { status: Number(received.split(" ", 2)[1]), text };
}

const MEANT = "X-SVC-Change: 1";
/** A local address that counts as untrusted; undefined without a network. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const STRANGERS: Readonly<Record<string, Client>> = {
  ...(address !== undefined && { "another machine": { to: address, fields: [MEANT] } }),
  "a page of another origin": { fields: [MEANT, "Origin: http://evil.example"], isPage: true },
  "a sandboxed page": { fields: [MEANT, "Origin: null"], isPage: true },
  "a browser that says so": { fields: [MEANT, "Sec-Fetch-Site: cross-site"], isPage: true },
  "a name made to lead here": { host: "evil.example", fields: [MEANT] },
  "the address of no machine": { host: "0.0.0.0:9000", fields: [MEANT] },
};

async function content(): Promise<unknown> {
  const { json } = await get(server.port, "/svc/builtin/arcs?graph=people&hits=-1");
  const { json: vertices } = await get(server.port, "/svc/builtin/vertices?graph=people&hits=-1");
  return [json.response, vertices.response];
}

for (const [label, client] of Object.entries(STRANGERS)) {
  test(`${label} cannot change anything`, async () => {
    const before = await content();
    for (const path of PATHS.filter((path) => !isOperation(path))) {
      for (const port of [0, 1] as const) {
        const { status, text } = await request(`${path}?${buildQuery(path)}`, "POST", client, port);
        if (CHANGES.includes(path)) assert.is(status, 403, `${path} ${text}`);
        // The admin port refuses every request that calls the server by an unknown name.
        else if (port === 1 && client.host !== undefined) {
          assert.match(text, "403 Forbidden: Host is not a name of this server");
          continue;
        }
        // Cross-origin POSTs are refused whatever they contain.
        else if (client.isPage) assert.match(text, "403 Forbidden: cross-origin request");
        else assert.is.not(status, 403, `${path} ${text}`);
        const read = await request(`${path}?${buildQuery(path)}`, "GET", client, port);
        if (port === 1 && client.host !== undefined) assert.is(read.status, 403);
        else if (CHANGES.includes(path)) assert.is(read.status, 405, `${path} ${read.text}`);
        else assert.is.not(read.status, 403, `${path} ${read.text}`);
      }
    }
    assert.equal(await content(), before);
  });
}

test("refuses log and build to untrusted clients, and has neither on the main port", async () => {
  const stranger = STRANGERS["another machine"];
  for (const path of ["/svc/build", "/svc/log"]) {
    assert.ok(services.get(path)!.isAdminOnly);
    if (stranger !== undefined) assert.is((await request(path, "GET", stranger, 1)).status, 403);
    assert.is((await request(path, "GET", {}, 0)).status, 404);
    assert.is((await request(path, "GET", {}, 1)).status, 200);
  }
});

test("refuses operations to untrusted clients, and has none on the main port", async () => {
  // Those of the interface, the lease of procedures, the log level, jobs, algorithms, and forwarded
  // ones.
  assert.is(OPERATIONS.length, 36);
  for (const [label, client] of Object.entries(STRANGERS)) {
    for (const path of OPERATIONS) {
      for (const method of ["GET", "POST"] as const) {
        const { status, text } = await request(path, method, client, 1);
        assert.equal([status, text.includes("403 Forbidden: ")], [403, true], `${label} ${path}`);
      }
      assert.is((await request(path, "GET", client, 0)).status, 404);
    }
  }
  for (const path of OPERATIONS) assert.is((await request(path, "GET", {}, 0)).status, 404);
  assert.is((await request("/svc/builtin/ADMIN_GetAuthToken", "GET", {}, 1)).status, 200);
});

test("tells a trusted client how to send a change", async () => {
  const before = await content();
  assert.ok(CHANGES.length > 0);
  const bodies = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  for (const path of CHANGES) {
    const responses: [Reply, number][] = [
      [await request(`${path}?${buildQuery(path)}`, "GET", { fields: [MEANT] }), 405],
      [await request(`${path}?${buildQuery(path)}`, "POST", {}), 403],
    ];
    for (const type of bodies) {
      const client = { fields: [`Content-Type: ${type}`] };
      responses.push([await request(`${path}?${buildQuery(path)}`, "POST", client), 403]);
    }
    for (const [{ status, text }, expected] of responses) {
      assert.is(status, expected, text);
      assert.match(text, 'curl -X POST -H \\"X-SVC-Change: 1\\"');
    }
  }
  assert.equal(await content(), before);
  const options = await fetch(`http://127.0.0.1:${server.port}${CHANGES[0]}`, {
    method: "OPTIONS",
  });
  assert.is(options.headers.get("allowed"), "OPTIONS, POST");
  for (const field of [MEANT, "Content-Type: application/json"]) {
    const path = `/svc/builtin/createvertex?graph=people&id=${encodeURIComponent(field)}`;
    assert.is((await request(path, "POST", { fields: [field] })).status, 200);
  }
});

/** Slot of a request that asks for one of the last queue. */
async function findSlot(client: Client): Promise<number> {
  const fields = [...(client.fields ?? []), "X-SVC-Builtin-Min-Executor: queue3"];
  const path = "/svc/builtin/vertex?graph=none&id=x";
  return JSON.parse((await request(path, "GET", { ...client, fields })).text).exec_id;
}

test("lets only trusted clients choose executors and inspect other requests", async () => {
  assert.ok((await findSlot({})) >= 6);
  assert.is((await request("/svc/inspect?level=3", "GET", {})).status, 200);
  for (const [label, client] of Object.entries(STRANGERS)) {
    assert.is(await findSlot(client), 0, label);
    for (const level of [0, 1, 2, 3]) {
      const { status, text } = await request(`/svc/inspect?level=${level}`, "GET", client);
      assert.is(status, level > 1 ? 403 : 200, `${label} ${text}`);
    }
  }
});

test("lets only trusted clients bypass Service-OUT", async () => {
  const openServer = server;
  const otherRoot = join(root, "other");
  mkdirSync(otherRoot);
  server = await serve(fixture("graph-services"), "--service-out", "--root", otherRoot);
  try {
    const statusFor = async (client: Client): Promise<number> => {
      const fields = [...(client.fields ?? []), "X-SVC-Bypass-SOUT: 1"];
      return (await request("/svc/hc", "GET", { ...client, fields })).status;
    };
    assert.is(await statusFor({}), 200);
    for (const [label, client] of Object.entries(STRANGERS)) {
      assert.is(await statusFor(client), 503, label);
    }
  } finally {
    await server.end();
    server = openServer;
  }
});

test.run();
