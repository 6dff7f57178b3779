// Clients behind a proxy of `http.proxies` on `uws`: the same address as with the other transport.
// limit: 60 s

import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, type RunningServer, serve } from "../e2e/support/server.js";
import { TemporaryProject } from "../e2e/support/temporary-project.js";

const PLUGINS = `import type { Graph, PluginRequest } from "svc-server";

/** @plugin @graph g */
export function client(request: PluginRequest, graph: Graph): string {
  return request.ip + " " + graph.name;
}
`;
const PROXY = "127.0.0.2";
const TRUSTED = "10.1.2.3";

const test = suite("forwarding on uws");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  const networks = ["--proxies", PROXY, "--trusted-networks", TRUSTED];
  server = await serve(project.folder, "--transport", "uws", ...networks);
});
test.after(async () => {
  await server?.stop();
  project.remove();
});

function request(localAddress: string, fields: readonly string[], line: string): Promise<string> {
  const socket = connect({ port: server.port, host: "127.0.0.1", localAddress });
  const lines = [`${line} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close", ...fields, "", ""];
  socket.write(lines.join("\r\n"));
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("close", () => resolve(text));
  });
}

async function readClient(localAddress: string, ...fields: string[]): Promise<string | undefined> {
  const text = await request(localAddress, fields, "GET /svc/plugin/client");
  return /"response": "(\S*) g"/.exec(text)?.[1];
}

test("accepts forwarding fields from proxies only", async () => {
  assert.is(await readClient(PROXY, "X-Forwarded-For: 192.0.2.7"), "192.0.2.7");
  assert.is(await readClient(PROXY, "X-Forwarded-For: 10.1.2.3, 192.0.2.7"), "192.0.2.7");
  assert.is(await readClient(PROXY, 'Forwarded: for="[2001:db8::1]:80"'), "2001:db8::1");
  assert.is(await readClient(PROXY, "X-Forwarded-For: a", "Forwarded: for=192.0.2.7"), "unknown");
  assert.is(await readClient(PROXY), PROXY);
  assert.is(await readClient("127.0.0.3", "X-Forwarded-For: 192.0.2.7"), "127.0.0.3");
});

test("trusts only a client that the proxy names", async () => {
  const change = (localAddress: string, forwarded: string) =>
    request(
      localAddress,
      [`X-Forwarded-For: ${forwarded}`, "X-SVC-Change: 1", "Content-Length: 0"],
      "POST /svc/builtin/createvertex?graph=g&id=v",
    );
  assert.match(await change(PROXY, TRUSTED), /^HTTP\/1\.1 200 /);
  assert.match(await change(PROXY, "192.0.2.7"), /^HTTP\/1\.1 403 /);
  assert.match(await change("127.0.0.3", TRUSTED), /^HTTP\/1\.1 403 /);
});

test.run();
