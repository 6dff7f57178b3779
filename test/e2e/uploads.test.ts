// Files of forms as arguments: raw bodies, invalid ones, both clients, the contract.
// limit: 60 s
// takes 5 s

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { buildProject, get, type RunningServer, serve, svc } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { Graph, int, PluginRequest, str, UploadedFile } from "svc-server";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Takes a picture. @plugin @graph shop */
export async function upload(
  _request: PluginRequest, title: str, picture: UploadedFile, graph: Graph, n: int = 1,
  thumb?: UploadedFile,
) {
  const hash = createHash("sha256");
  for await (const chunk of picture.stream()) hash.update(chunk);
  const digest = hash.digest("hex").slice(0, 8);
  const { name, type, size } = picture;
  const text = (await thumb?.text()) ?? null;
  return { title, n, name, type, size, digest, thumb: text, graph: graph.name };
}

/** Saves files, one item after the other. @plugin */
export async function* save(
  _request: PluginRequest, path: str, first: UploadedFile, second: UploadedFile,
): AsyncGenerator<int> {
  for (const file of [first, second]) {
    await file.saveTo(path);
    yield (await readFile(path)).length;
  }
}
`;

const MAX_BODY_BYTES = 12_000_000;
const test = suite("uploads");
let project: TemporaryProject;
let server: RunningServer;

test.before(async () => {
  project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "tsconfig.json": NODE_TYPES,
    "svc.config.ts": `export default {
  graphs: { shop: {} }, http: { maxBodyBytes: ${MAX_BODY_BYTES} },
};
`,
  });
  await buildProject(project.folder);
  server = await serve(project.folder);
});
test.after(async () => {
  await server.end();
  await until(() => folders().length === 0);
  project.remove();
});

/** Folders of bodies on disk, of the servers of this file. */
const pids = new Set<number>();
function folders(): string[] {
  pids.add(server.process.pid!);
  const isOwn = (name: string) => [...pids].some((pid) => name.startsWith(`svc-uploads-${pid}-`));
  return readdirSync(tmpdir()).filter(isOwn);
}

/** Sizes of the bodies on disk. */
function bodies(): number[] {
  const paths = folders().flatMap((name) => {
    const folder = join(tmpdir(), name);
    return readdirSync(folder).map((file) => join(folder, file));
  });
  return paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

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

test("treat a field without file name and content as a missing file", async () => {
  const body = `${part("title", "t")}${part("picture", "a", "a")}${part("thumb", "")}--xx--\r\n`;
  const { json, text } = await post(body);
  assert.is(json.status, "OK", text);
  assert.is((json.response as { readonly thumb: unknown }).thumb, null);
});

test("convert and check fields like the query", async () => {
  const { status, text } = await post(
    `${part("title", "t")}${part("n", "x")}${part("picture", "a", "a")}--xx--\r\n`,
  );
  assert.is(status, 400);
  assert.match(text, "n=x");
});

test("accept files of any size, large ones on disk", async () => {
  for (const length of [60_000, 800_000, 5_000_000]) {
    const bytes = Buffer.alloc(length, "zy-\r\n--x");
    const body = `${part("picture", bytes.toString("latin1"), "big")}${part("thumb", "é", "t")}`;
    const { json } = await post(`${body}--xx--\r\n`, "?title=t");
    const { size, digest, thumb } = json.response as Record<string, unknown>;
    const expected = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
    assert.equal([size, digest, thumb], [length, expected, "é"]);
  }
  assert.is(folders().length, 1);
  await until(() => bodies().length === 0);
});

test("keep files on disk as long as a stream needs them", async () => {
  const files = ["first", "second"].map((name) => part(name, "z".repeat(2_000_000), name));
  const path = encodeURIComponent(join(project.folder, "saved"));
  const url = `/svc/plugin/save?path=${path}`;
  const options = { method: "POST", body: `${files.join("")}--xx--\r\n`, headers: TYPE };
  assert.is((await get(server.port, url, options)).text, "2000000\n2000000\n");
  await until(() => bodies().length === 0);
});

/** Sends a part of a large form. */
function sendPart(length: number, framing = `Content-Length: ${length * 2}`): Socket {
  const head = `POST /svc/plugin/upload?title=t HTTP/1.1\r\nHost: x\r\n${framing}\r\n`;
  const socket = connect(server.port, "127.0.0.1").setEncoding("utf8");
  socket.on("error", () => {});
  socket.write(`${head}Content-Type: multipart/form-data; boundary=xx\r\n\r\n`);
  const body = part("picture", "z".repeat(length), "big").slice(0, length);
  const isChunked = framing.startsWith("Transfer");
  socket.write(isChunked ? `${length.toString(16)}\r\n${body}\r\n` : body);
  return socket;
}

test("leave nothing behind when the connection is cut", async () => {
  const socket = sendPart(4_000_000);
  await until(() => bodies().some((size) => size > 0));
  socket.destroy();
  await until(() => bodies().length === 0);
});

test("leave nothing behind when the body is too large or its length is wrong", async () => {
  const endlessSocket = sendPart(MAX_BODY_BYTES + 1, "Transfer-Encoding: chunked");
  const [refusal] = (await once(endlessSocket, "data")) as [string];
  assert.match(refusal, /^HTTP\/1\.1 413 /);
  endlessSocket.destroy();
  const cutSocket = sendPart(3_000_000);
  cutSocket.end();
  const [invalid] = (await once(cutSocket, "data")) as [string];
  assert.match(invalid, /^HTTP\/1\.1 400 /);
  const unfinished = part("picture", "z".repeat(3_000_000), "p");
  const nested = part("other", "z".repeat(3_000_000), "p");
  for (const body of [unfinished, `${nested}--xx--\r\n`]) {
    assert.is((await post(body, "?title=t")).status, 400);
  }
  await until(() => bodies().length === 0);
});

test("leave nothing behind after a kill, once a server starts again", async () => {
  sendPart(4_000_000);
  await until(() => bodies().some((size) => size > 0));
  await server.stop("SIGKILL");
  assert.ok(folders().length > 0);
  server = await serve(project.folder);
  await until(() => folders().length === 0);
});

test("are rejected with 400 if the body is invalid", async () => {
  const good = `${part("title", "t")}${part("picture", "abc", "p")}`;
  const nested = "--xx\r\nContent-Type: multipart/mixed; boundary=yy\r\n\r\n--yy--\r\n";
  const cases: readonly (readonly [body: string, reason: RegExp])[] = [
    [good.slice(0, -10), /content \(/],
    [good, /content \(/],
    [`${part("title", "t")}--xx--\r\n`, /picture/],
    [`${good}${part("picture", "x", "q")}--xx--\r\n`, /file picture is given twice/],
    [`${part("title", "t")}${part("picture", "", "")}--xx--\r\n`, /argument: 'picture'/],
    [`${good}${part("thumb", "x")}--xx--\r\n`, /file thumb has no file name/],
    [`${good}${part("other", "x", "q")}--xx--\r\n`, /file other is unknown/],
    [`${good}${part("f", "y".repeat(70_000))}--xx--\r\n`, /field above 65536 bytes/],
    [`${good}${part("f", "1").repeat(150)}--xx--\r\n`, /more than 100 fields/],
    [`${nested}--xx--\r\n`, /part without a name/],
    [`${good}--xx\r\n\r\n${"z".repeat(70_000)}\r\n--xx--\r\n`, /part without a name/],
    [`${good}--xx\r\n${"z".repeat(70_000)}\r\n--xx--\r\n`, /part head above 8192 bytes/],
    [`${good}--xxx\r\n--xx--\r\n`, /invalid boundary/],
    [`${"z".repeat(70_000)}\r\n${good}--xx--\r\n`, /no boundary/],
    [good.replace("--xx", "--xx".repeat(30_000)), /title/],
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
  const openResponse = await post("x", "?title=t", { "content-type": "multipart/form-data" });
  assert.is(openResponse.status, 400);
  assert.is((await get(server.port, "/svc/plugin/upload?title=t")).status, 400);
});

test("are forms in OpenAPI, and no tools of MCP", async () => {
  const argspec = JSON.parse(readFileSync(join(project.folder, ".svc/argspec.json"), "utf8"));
  assert.is(argspec.plugins[0].params.at(-1).form, true);
  const { text } = await get(server.port, "/svc/builtin/argspec?format=openapi");
  assert.match(text, '"multipart/form-data"');
});

test("can be sent by TypeScript clients", async () => {
  const sdk = join(project.folder, "sdk");
  await svc("client", "--from", project.folder, "--out", sdk);
  const { Client } = await import(pathToFileURL(join(sdk, "index.js")).href);
  const client = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
  const picture = new Blob(["abc"], { type: "image/png" });
  const content = { picture, thumb: new TextEncoder().encode("é") };
  const result = await client.upload({ title: "t", n: 2, content });
  assert.equal([result.size, result.thumb, result.n], [3, "é", 2]);
  assert.equal([result.name, result.type], ["picture", "image/png"]);
  const unnamed = { ...content, picture: new File(["abc"], "") };
  assert.is((await client.upload({ title: "t", content: unnamed })).size, 3);
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
print(result["size"], result["thumb"], result["name"], result["type"])
with open('ü"1.png', "wb") as file:
    file.write(b"png")
with open('ü"1.png', "rb") as file:
    result = shop.upload(title="t", content={"picture": file})
    print(result["size"], result["name"], result["type"])
with open("a.csv.gz", "w+b") as file:
    print(shop.upload(title="t", content={"picture": file})["type"])
`;
  const address = `http://127.0.0.1:${server.port}`;
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", script, address], { cwd: out });
  const lines = stdout.trim().split(/\r?\n/);
  const unknown = "application/octet-stream";
  assert.equal(lines, [`5 small picture ${unknown}`, '3 ü"1.png image/png', unknown]);
});

test.run();
