// `http.builtins`: access to built-in plugins and services on the main port.
// limit: 60 s
// takes 4 s

import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { SERVICES } from "../../argspec/services.js";
import { BUILTIN_ALIASES, services } from "../../runtime/builtin/services.js";
import { buildProject, fixture, get, type RunningServer, serve } from "./support/server.js";

const test = suite("access to built-ins");
const PROBES = ["/svc/hc", "/svc/ping"];
const isOnMainPort = (path: string) =>
  !path.startsWith("/svc/builtin/ADMIN_") && services.get(path)?.isAdminOnly !== true;
const PATHS = [
  ...BUILTINS.plugins.map(({ path }) => path),
  ...SERVICES.map(({ path }) => path),
  ...BUILTIN_ALIASES.keys(),
].filter((path) => isOnMainPort(path) && !PROBES.includes(path));
const PLUGIN = "/svc/plugin/add?a=1";

/** A local address that counts as untrusted; undefined without a network. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

let server: RunningServer;
test.before(() => buildProject(fixture("engine")));
test.after.each(async () => {
  await server?.end();
});

/** Status of a GET from another machine's address, or from loopback with another `Host`. */
async function status(path: string, to: string, host = to): Promise<number> {
  const socket = connect(server.port, to).setEncoding("utf8");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let received = "";
  for await (const piece of socket) received += piece;
  return Number(received.split(" ", 2)[1]);
}

test("applies to change feeds too", () => {
  assert.ok(PATHS.includes("/svc/builtin/changes"));
});

test("is open to all by default", async () => {
  server = await serve(fixture("engine"));
  for (const path of PATHS) assert.is.not((await get(server.port, path)).status, 403, path);
});

test("can be limited to the admin port", async () => {
  server = await serve(fixture("engine"), "--builtins", "admin");
  for (const path of PATHS) {
    const { status, text } = await get(server.port, path);
    assert.is(status, 403, path);
    assert.match(text, "on the admin port only (http.builtins)");
    assert.is.not((await get(server.port + 1, path)).status, 403, path);
  }
  for (const path of [...PROBES, PLUGIN]) {
    assert.is((await get(server.port, path)).status, 200, path);
  }
});

test("can be limited to trusted clients", async () => {
  server = await serve(fixture("engine"), "--builtins", "trusted");
  const strangers: [to: string, host?: string][] = [["127.0.0.1", "evil.example"]];
  if (address !== undefined) strangers.push([address]);
  for (const path of PATHS) {
    assert.is.not((await get(server.port, path)).status, 403, path);
    for (const stranger of strangers) assert.is(await status(path, ...stranger), 403, path);
  }
  for (const [to] of strangers) {
    for (const path of [...PROBES, PLUGIN]) assert.is(await status(path, to), 200, path);
  }
});

test.run();
