// Files of forms as arguments: raw bodies, invalid ones, both clients, the contract.
// limit: 60 s

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { buildProject, get, type Served, serve, svc } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { Graph, int, PluginRequest, str, UploadedFile } from "svc-server";
import { createHash } from "node:crypto";

/** Takes a picture. @plugin @graph shop */
export async function upload(
  _request: PluginRequest, title: str, picture: UploadedFile, graph: Graph, n: int = 1,
  thumb?: UploadedFile,
) {
  const digest = createHash("sha256").update(picture.bytes).digest("hex").slice(0, 8);
  const { name, type, size } = picture;
  return { title, n, name, type, size, digest, thumb: thumb?.text() ?? null, graph: graph.name };
}
`;

const test = suite("uploads");
let project: TemporaryProject;
let server: Served;

test.before(async () => {
  project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "tsconfig.json": NODE_TYPES,
    "svc.config.ts": "export default { graphs: { shop: {} } };\n",
  });
  await buildProject(project.folder);
  server = await serve(project.folder);
});
test.after(async () => {
  await server.stop();
  project.remove();
});

const TYPE = { "content-type": "multipart/form-data; boundary=xx" };

function part(name: string, value: string, file?: string): string {
  const named = file === undefined ? "" : `; filename="${file}"\r\nContent-Type: image/png`;
  return `--xx\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n${value}\r\n`;
}

const post = (body: string | Buffer, query = "", headers: Record<string, string> = TYPE) =>
  get(server.port, `/svc/plugin/upload${query}`, { method: "POST", body, headers });

test("receive fields as parameters and files as arguments", async () => {
  const body = `${part("title", "A & B")}${part("picture", "abc", "c:\\\\p.png")}--xx--\r\n`;
  const { json, text } = await post(body, "?n=7");
  assert.is(json.status, "OK", text);
  const { digest, ...others } = json.response as Record<string, unknown>;
  assert.match(String(digest), /^ba7816bf$/);
  const file = { name: "p.png", type: "image/png", size: 3 };
  assert.equal(others, { title: "A & B", n: 7, ...file, thumb: null, graph: "shop" });
});

test("convert and check fields like the query", async () => {
  const { status, text } = await post(
    `${part("title", "t")}${part("n", "x")}${part("picture", "a", "a")}--xx--\r\n`,
  );
  assert.is(status, 400);
  assert.match(text, "n=x");
});

test("accept a large file through shared memory", async () => {
  const bytes = "z".repeat(5_000_000);
  const { json } = await post(`${part("picture", bytes, "big")}--xx--\r\n`, "?title=t");
  assert.is((json.response as { size: number }).size, 5_000_000);
});

test("are refused with 400 where the body is invalid", async () => {
  const good = `${part("title", "t")}${part("picture", "abc", "p")}`;
  const nested = "--xx\r\nContent-Type: multipart/mixed; boundary=yy\r\n\r\n--yy--\r\n";
  const cases: readonly (readonly [body: string, reason: RegExp])[] = [
    [good.slice(0, -10), /content \(/],
    [good, /content \(/],
    [`${part("title", "t")}--xx--\r\n`, /picture/],
    [`${good}${part("picture", "x", "q")}--xx--\r\n`, /file picture is given twice/],
    [`${good}${part("other", "x", "q")}--xx--\r\n`, /file other is unknown/],
    [`${good}${part("f", "y".repeat(70_000))}--xx--\r\n`, /field above 65536 bytes/],
    [`${good}${part("f", "1").repeat(150)}--xx--\r\n`, /too many fields or files/],
    [`${nested}--xx--\r\n`, /title|picture/],
    ["no form at all", /content \(/],
  ];
  for (const [body, reason] of cases) {
    const { status, text } = await post(body);
    assert.is(status, 400, text);
    assert.match(text, reason);
  }
  const json = await post("{}", "?title=t", { "content-type": "application/json" });
  assert.is(json.status, 400);
  assert.match(json.text, "multipart/form-data is required");
  const open = await post("x", "?title=t", { "content-type": "multipart/form-data" });
  assert.is(open.status, 400);
  assert.is((await get(server.port, "/svc/plugin/upload?title=t")).status, 400);
});

test("are forms in OpenAPI, and no tools of MCP", async () => {
  const argspec = JSON.parse(readFileSync(join(project.folder, ".svc/argspec.json"), "utf8"));
  assert.is(argspec.plugins[0].params.at(-1).form, true);
  const { text } = await get(server.port, "/svc/builtin/argspec?format=openapi");
  assert.match(text, '"multipart/form-data"');
});

test("are sent by TypeScript clients", async () => {
  const sdk = join(project.folder, "sdk");
  await svc("client", "--from", project.folder, "--out", sdk);
  const { Client } = await import(pathToFileURL(join(sdk, "index.js")).href);
  const client = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
  const content = { picture: new Blob(["abc"]), thumb: new TextEncoder().encode("é") };
  const result = await client.upload({ title: "t", n: 2, content });
  assert.equal([result.size, result.thumb, result.n], [3, "é", 2]);
  const source = `import { Client } from "./sdk/index.js";
const client = new Client({ baseUrl: "" });
export const sent = client.upload({ title: "t", content: { picture: new Blob([]) } });
// @ts-expect-error the picture is required
client.upload({ title: "t", content: {} });
`;
  project.write("use.ts", source);
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
  ];
  const cwd = { cwd: project.folder };
  await promisify(execFile)(process.execPath, [tsc, ...options, "use.ts"], cwd);
});

(HAS_PYTHON ? test : test.skip)("are sent by Python clients", async () => {
  const out = join(project.folder, "py");
  await svc("client", "--from", project.folder, "--lang", "python", "--out", out);
  const script = `
import io, sys
from client import Client
shop = Client(sys.argv[1])
files = {"picture": b"abc\\r\\n", "thumb": io.BytesIO(b"small")}
result = shop.upload(title="t", content=files)
print(result["size"], result["thumb"], result["name"])
`;
  const address = `http://127.0.0.1:${server.port}`;
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", script, address], { cwd: out });
  assert.is(stdout.trim(), "5 small picture");
});

test.run();
