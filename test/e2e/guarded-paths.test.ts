// Attempts to reach guarded plugins, built-in services and files without a principal: other
// spellings of their paths, other methods, forged header fields, and streams of removed keys.
// limit: 120 s
// takes 5 s

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";
import { NODE_TYPES } from "./support/temporary-project.js";

const CONTENT = "guarded content";
const PLUGINS = `import { setTimeout as sleep } from "node:timers/promises";
import type { int, PluginRequest, str } from "svc-server";

/** @plugin */
export function guarded(_request: PluginRequest): str {
  return "${CONTENT}";
}

/** @plugin @inline */
export function quick(_request: PluginRequest): str {
  return "${CONTENT}";
}

/** @plugin @public */
export function open(_request: PluginRequest): str {
  return "open";
}

/** @plugin */
export async function* ticks(request: PluginRequest): AsyncGenerator<int> {
  for (let tick = 0; !request.signal.aborted; tick++) {
    yield tick;
    await sleep(100);
  }
}
`;
const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");
const KEPT = { sha256: sha256("k-kept"), name: "kept" };
const REMOVED = { sha256: sha256("k-removed"), name: "removed" };

const test = suite("guarded paths");
const project = new RunningProject(test, {
  "plugins/p.ts": PLUGINS,
  "src/auth.ts": `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`,
  "tsconfig.json": NODE_TYPES,
  "keys.json": JSON.stringify([KEPT, REMOVED]),
  "svc.config.ts": 'export default { auth: "src/auth.ts#keys", http: { prefix: "shop" } };\n',
});

test.before(() => {
  const folder = join(project.folder, "data", "WEB-ROOT");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "file.txt"), CONTENT);
});

/** Sends a request without normalizing anything, and returns all that is received. */
async function send(line: string, fields: readonly string[] = [], before = ""): Promise<string> {
  const socket = connect(project.server.port, "127.0.0.1");
  const lines = [`${line} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close", ...fields, "", ""];
  socket.write(before + lines.join("\r\n"));
  let text = "";
  for await (const bytes of socket) text += bytes;
  return text;
}

const PATHS = ["/svc/plugin/guarded", "/svc/plugin/quick", "/svc/builtin/metrics", "/file.txt"];
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "PUT"];

function spellings(path: string): readonly string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, -name.length);
  const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    ...[path, `/${path}`, `/.${path}`, `/x/..${path}`, `/shop${path}`, `/shop/shop${path}`],
    ...[`${path}/`, `${path}.`, `${path};`, `${path}%00`, `${path}%20`, `${path}%2f`, `${path}#x`],
    ...[`${folder}${escaped}`, `${folder}/${name}`, `${folder}./${name}`, `${folder}x/../${name}`],
    ...[path.replace("svc", "%73vc"), path.replace("svc", "SVC"), path.replaceAll("/", "%2f")],
    ...[path.replaceAll("/", "\\"), path.replace("plugin", "%70lugin"), `${path}/open`],
    ...[`http://127.0.0.1${path}`, `//127.0.0.1${path}`, `${path}?access_token=k-kept`],
    ...[path.replace("/svc/plugin", "/shop/plugin"), path.replace("plugin", "builtin")],
  ];
}

for (const path of PATHS) {
  test(`every spelling of ${path} requires a principal`, async () => {
    const paths = new Set<string>();
    for (const spelling of spellings(path)) {
      for (const method of METHODS) {
        const text = await send(`${method} ${spelling}`);
        assert.not.match(text, CONTENT, `${method} ${spelling}`);
        paths.add(text.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
      }
    }
    for (const status of paths) assert.match(status, /^(?:200|400|401|404|405)$/);
    const { status } = await get(project.server.port, path, {
      headers: { authorization: "Bearer k-kept" },
    });
    assert.is(status, 200);
  });
}

test("forged header fields name no principal", async () => {
  const ident = "XSVCIDENT 1 1 1 0 0 0 1\r\n";
  for (const [fields, before] of [
    [["X-SVC-Signed: e30.AAAA"], ""],
    [["X-SVC-Signed: e30.AAAA"], ident],
    [[], ident],
    [["X-SVC-Warm-Up: 1"], ""],
    [["X-SVC-Bypass-SOUT: 1", "X-SVC-Builtin-Min-Executor: queue3"], ""],
    [["X-SVC-Console: matrix"], ""],
    [["Authorization: Basic k-kept"], ""],
    [[`Authorization: Bearer ${"a".repeat(16_384)}`], ""],
    // A proxy may have checked the first field only.
    [["Authorization: Bearer wrong", "Authorization: Bearer k-kept"], ""],
    [["Authorization: Bearer k-kept", "X-A: 1", "authorization: Bearer wrong"], ""],
  ] as const) {
    const text = await send("GET /svc/plugin/guarded", fields, before);
    assert.match(text, /^HTTP\/1\.1 401 /, fields.join().slice(0, 200));
  }
  const text = await send("GET /svc/plugin/guarded", ["Authorization: Bearer k-kept"]);
  assert.match(text, CONTENT);
});

test("names of unknown plugins do not fill the metrics", async () => {
  for (let number = 0; number < 20; number++) {
    assert.match(await send(`OPTIONS /svc/plugin/unknown${number}`), /^HTTP\/1\.1 200 /);
  }
  const { text } = await get(project.server.port + 1, "/metrics");
  assert.match(text, 'plugin="guarded"');
  assert.not.match(text, "unknown1");
});

test("a stream ends once the key of its principal is removed", async () => {
  const socket = connect(project.server.port, "127.0.0.1");
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const idleSocket = connect(project.server.port, "127.0.0.1").on("data", () => {});
  const request = (key: string) =>
    `GET /svc/plugin/ticks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  socket.write(request("k-removed"));
  idleSocket.write(request("k-kept"));
  while (!received.includes("\n3")) await new Promise((resolve) => socket.once("data", resolve));
  writeFileSync(join(project.folder, "keys.json"), JSON.stringify([KEPT]));
  await closed;
  // A response without its last chunk is not complete.
  assert.not.match(received, /\r\n0\r\n\r\n$/);
  assert.not.ok(idleSocket.destroyed);
  idleSocket.destroy();
});

test.run();
