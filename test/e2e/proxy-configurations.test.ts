// The proxy configurations of the securing guide, run by real proxies in front of a real server.
// limit: 60 s

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";

/** Returns the client. @plugin */
export function client(_request: PluginRequest, headers: Record<string, string>): str {
  return headers["X-Svc-Builtin-Client"] ?? "";
}

/** Returns the size of a body. @plugin */
export function size(_request: PluginRequest, content: str): number {
  return content.length;
}
`;
const GUIDE = readFileSync(join(packageRoot(), "docs/guides/securing.md"), "utf8");
/** Outside of `http.proxies`, so the header fields of the proxy name it. */
const CLIENT = "127.0.0.2";

const test = suite("proxy configurations");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
let server: RunningServer;
let proxy: ChildProcess | null = null;

test.before(async () => {
  await buildProject(project.folder);
});
test.after.each(async () => {
  proxy?.kill();
  await server?.end();
});
test.after(() => project.remove());

/** The blocks of code of a language in the guide. */
function snippets(language: string): string[] {
  const blocks = GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  return [...blocks].map(([, text]) => text!);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts a proxy with a configuration, in front of a server. */
async function start(
  command: (file: string) => readonly string[],
  text: string,
  ...options: string[]
): Promise<number> {
  const words = ["--proxies", "127.0.0.1", "--prefix", "shop", "--executors", "1", ...options];
  server = await serve(project.folder, ...words);
  const port = await freePort();
  const file = join(project.folder, "proxy.conf");
  writeFileSync(
    file,
    text.replaceAll("127.0.0.1:9000", `127.0.0.1:${server.port}`).replaceAll("8080", `${port}`),
  );
  const [program, ...rest] = command(file);
  let output = "";
  proxy = spawn(program!, rest, { stdio: ["ignore", "pipe", "pipe"] });
  const collect = (bytes: Buffer): void => {
    output += bytes;
  };
  proxy.stdout!.on("data", collect);
  proxy.stderr!.on("data", collect);
  for (let turns = 0; turns < 400; turns++) {
    if (proxy.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    if ((await request(port, "/svc/plugin/client").catch(() => "")).includes(" 200 ")) return port;
    await delay(25);
  }
  throw new Error(`${program} does not serve: ${output}`);
}

function request(port: number, path: string, fields = ""): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: CLIENT });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}Connection: close\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("close", () => resolve(text));
  });
}

async function expectClient(port: number, fields = ""): Promise<void> {
  const text = await request(port, "/svc/plugin/client", fields);
  assert.match(text, /"response": "http:\/\/127\.0\.0\.2:\d+\/"/, fields);
}

/** Checks the rules of each configuration of HTTP. */
async function expectSafe(port: number): Promise<void> {
  await expectClient(port);
  await expectClient(port, "X-Forwarded-For: 127.0.0.1\r\n");
  await expectClient(port, "Forwarded: for=127.0.0.1\r\n");
  await expectClient(port, "X-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.1\r\n");
  await expectClient(port, 'Forwarded: for=", for=127.0.0.1\r\nX-Forwarded-For: ",\r\n');
  // Proxies remove the fields that Connection names, so it must not remove theirs.
  const fields = "X-Forwarded-For, Forwarded, X-Svc-Builtin-Client";
  await expectClient(port, `X-Forwarded-For: 127.0.0.1\r\nConnection: ${fields}\r\n`);
  for (const path of ["/svc/builtin/ping", "/shop/svc/builtin/ping"]) {
    assert.match(await request(server.port, path), /^HTTP\/1\.1 200 /, "not by the server");
  }
  for (const path of [
    "/svc/builtin/ping",
    "/shop/svc/builtin/ping",
    "/svc/%62uiltin/ping",
    "/svc/builtin%2fping",
    "//svc/builtin/ping",
    "/svc/./builtin/ping",
    "/svc/plugin/../builtin/ping",
  ]) {
    assert.not.match(await request(port, path), /^HTTP\/1\.1 200 /, path);
  }
  const body = "x".repeat(5_000_000);
  const { status } = await fetch(`http://127.0.0.1:${port}/svc/plugin/size`, {
    method: "POST",
    body,
  });
  assert.is(status, 200, "a large body");
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ["-v"]).error === undefined;
}

/** Skips, and says so, where the proxy is missing. */
function withProxy(program: string, name: string, run: () => Promise<void>): void {
  test(`${program}: ${name}`, async () => {
    if (isInstalled(program)) await run();
    else console.log(`skipped: ${program} is not installed`);
  });
}

withProxy("nginx", "names the client and blocks built-in plugins", async () => {
  const { folder } = project;
  const [text] = snippets("nginx");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr;\nevents {}\n`;
  const port = await start(
    (file) => ["nginx", "-p", folder, "-c", file],
    // Workers of another user cannot write to the folder of the project.
    `${main}http {\naccess_log off; client_body_buffer_size 8m;\n${paths}\n${text}}\n`,
  );
  await expectSafe(port);
});

const TIMEOUTS =
  "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n";

withProxy("haproxy", "names the client and blocks built-in plugins", async () => {
  const [http] = snippets("haproxy");
  await expectSafe(await start((file) => ["haproxy", "-db", "-f", file], TIMEOUTS + http));
});

withProxy("haproxy", "names the client by the PROXY protocol", async () => {
  const [, tcp] = snippets("haproxy");
  const haproxy = (file: string) => ["haproxy", "-db", "-f", file];
  const port = await start(haproxy, TIMEOUTS + tcp, "--proxy-protocol");
  await expectClient(port);
  await expectClient(port, "X-Forwarded-For: 127.0.0.1\r\n");
});

withProxy("caddy", "names the client and blocks built-in plugins", async () => {
  const [text] = snippets("caddy");
  const caddy = (file: string) => ["caddy", "run", "--adapter", "caddyfile", "--config", file];
  await expectSafe(await start(caddy, text!));
});

test.run();
