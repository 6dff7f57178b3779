// Plugins that return an HttpResponse, as every kind of client sees them: both generated clients,
// OpenAPI, MCP; with several cookies, over both transports and through a dispatcher.
// limit: 90 s

import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { loadArgspec } from "../../cli/contract/load-argspec.js";
import { ToolCaller } from "../../cli/mcp/tool-caller.js";
import { Connection } from "../../client/typescript/connection.js";
import type { HttpResponse } from "../../client/typescript/options.js";
import type { SvcError } from "../../client/typescript/svc-error.js";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { buildProject, get, type RunningServer, serve, svc } from "./support/server.js";
import { GOOD_PLUGIN, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { HttpError, HttpResponse } from "svc-server";
import type { int, PluginRequest, str } from "svc-server";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff);

/** Returns a picture. @plugin @readonly */
export function picture(_request: PluginRequest, size: int = 5): HttpResponse<"image/png"> {
  if (size === 0) return new HttpResponse("", { status: 304, headers: { ETag: '"7"' } });
  if (size === 1) throw new HttpError(404, "no picture");
  if (size === 2) return new HttpResponse(PNG);
  const bytes = new Uint8Array(size).map((_, at) => PNG[at % 5]!);
  return new HttpResponse(bytes, { type: "image/png", headers: { ETag: '"7"' } });
}

/** @plugin */
export function page(_request: PluginRequest, name: str): HttpResponse<"text/html"> | { n: int } {
  if (name === "json") return { n: 1 };
  return new HttpResponse("<p>grüße", { status: 201, type: "text/html" });
}

/** @plugin */
export function anything(_request: PluginRequest, type: str, text: str): HttpResponse {
  return new HttpResponse(text, { type });
}

/** @plugin */
export function moved(_request: PluginRequest): HttpResponse {
  return new HttpResponse("", { status: 302, headers: { Location: "/svc/plugin/page" } });
}

/** @plugin */
export function login(_request: PluginRequest): HttpResponse {
  const cookies = ["a=1; HttpOnly", "b=2; Path=/"];
  return new HttpResponse("in", { headers: { "Set-Cookie": cookies, "X-Empty": [] } });
}

/** @plugin @produces text/csv */
export function table(_request: PluginRequest): HttpResponse {
  return new HttpResponse("a,b\\n", { type: "text/csv; header=present" });
}

/** @plugin */
export function half(_request: PluginRequest, of: int): { whole: int } {
  return { whole: of / 2 };
}
`;

interface Service {
  picture(params?: object): Promise<HttpResponse<"image/png">>;
  page(params: object): Promise<HttpResponse<"text/html"> | { n: number }>;
  anything(params: object): Promise<HttpResponse>;
  moved(): Promise<HttpResponse>;
  login(): Promise<HttpResponse>;
  half(params: object): Promise<{ whole: number }>;
}

/** `auto`: the tests of `uws` run these, too. */
const OPTIONS = ["--executors", "1"];
const test = suite("responses without an envelope");
let project: TemporaryProject;
let server: RunningServer;
let service: Service;
const path = (name: string) => join(project.folder, name);

test.before(async () => {
  project = new TemporaryProject({ "plugins/shop.ts": PLUGINS });
  await buildProject(project.folder);
  server = await serve(project.folder, ...OPTIONS);
  await svc("client", "--from", project.folder, "--out", path("sdk"));
  await svc("client", "--from", project.folder, "--lang", "python", "--out", path("py"));
  const { Client } = await import(pathToFileURL(path("sdk/index.js")).href);
  service = new Client({ baseUrl: `http://127.0.0.1:${server.port}` });
});

test.after(async () => {
  await server?.end();
  project?.remove();
});

const BYTES = [0x89, 0x50, 0x4e, 0x47, 0xff];

test("arrive in TypeScript as bytes, blob, text or stream, with status and fields", async () => {
  const picture = await service.picture();
  assert.equal(
    [picture.status, picture.type, picture.headers.get("etag")],
    [200, "image/png", '"7"'],
  );
  assert.equal([...(await picture.bytes())], BYTES);
  const blob = await (await service.picture()).blob();
  assert.equal([blob.type, blob.size], ["image/png", 5]);
  let length = 0;
  for await (const chunk of (await service.picture({ size: 3_000_000 })).stream()) {
    length += chunk.length;
  }
  assert.is(length, 3_000_000);
  const emptyPicture = await service.picture({ size: 0 });
  assert.equal(
    [emptyPicture.status, emptyPicture.type, (await emptyPicture.bytes()).length],
    [304, "", 0],
  );
  const page = (await service.page({ name: "x" })) as HttpResponse;
  assert.equal([page.status, page.type, await page.text()], [201, "text/html", "<p>grüße"]);
  assert.equal(await service.page({ name: "json" }), { n: 1 });
  const moved = await service.moved();
  assert.equal([moved.status, moved.headers.get("location")], [302, "/svc/plugin/page"]);
  const json = await service.anything({ type: "application/json", text: '{"status":"OK"}' });
  assert.is(await json.text(), '{"status":"OK"}');
});

test("are read once, and may be left unread", async () => {
  const picture = await service.picture();
  await picture.bytes();
  await assertRejects(picture.text(), "has been read");
  (await service.picture({ size: 3_000_000 })).cancel();
  for await (const _ of (await service.picture({ size: 3_000_000 })).stream()) break;
});

async function assertRejects(promise: Promise<unknown>, says: string): Promise<void> {
  await promise.then(
    () => assert.unreachable(),
    ({ message }) => assert.match(message, says),
  );
}

test("reject with the error of the plugin, or of a broken contract", async () => {
  const failure = async (promise: Promise<unknown>) => {
    const error = await promise.catch((thrown: SvcError) => thrown);
    const { kind, status, message } = error as SvcError;
    return [kind, status, message];
  };
  assert.equal(await failure(service.picture({ size: 1 })), [
    ...["plugin", 404, "/svc/plugin/picture: no picture"],
  ]);
  const mismatch = "media type of the response: application/octet-stream, declared: image/png";
  assert.equal(await failure(service.picture({ size: 2 })), [
    ...["result", 500, `/svc/plugin/picture: ${mismatch}`],
  ]);
  const fraction = "result.whole is 1.5, but the declared result type is int";
  assert.equal(await failure(service.half({ of: 3 })), [
    ...["result", 500, `/svc/plugin/half: ${fraction}`],
  ]);
  assert.equal(await service.half({ of: 4 }), { whole: 2 });
});

const SCRIPT = `
picture = client.picture()
print(picture.status, picture.type, picture.headers.get("etag"), list(picture.read()))
print(sum(len(chunk) for chunk in client.picture(size=3_000_000)))
none = client.picture(size=0)
print(none.status, repr(none.type), none.read())
page = client.page(name="x")
print(page.status, page.type, page.read().decode())
print(client.page(name="json"), client.moved().headers.get("location"))
with client.login() as login:
    print(login.headers.get_all("set-cookie"))
try:
    client.picture(size=1)
except SvcError as error:
    print(error.kind, error.status)
for _ in range(20):
    client.picture().read()
print(len(client._connection.server._idle))
`;

test("arrive in Python as bytes or chunks, with status and fields", async () => {
  if (!HAS_PYTHON) return;
  const start = `import sys
sys.path.insert(0, ${JSON.stringify(path("py"))})
from client import Client, SvcError
client = Client("http://127.0.0.1:${server.port}")
`;
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", start + SCRIPT]);
  assert.is(
    stdout,
    `200 image/png "7" [137, 80, 78, 71, 255]
3000000
304 '' b''
201 text/html <p>grüße
{'n': 1} /svc/plugin/page
['a=1; HttpOnly', 'b=2; Path=/']
plugin 404
1
`,
  );
});

test("have their media types in OpenAPI and types in the clients", async () => {
  const argspec = await loadArgspec(project.folder);
  const { paths } = openapiDocument(argspec) as { paths: Record<string, Record<string, Get>> };
  interface Get {
    readonly responses: Readonly<Record<string, { readonly content?: Record<string, object> }>>;
  }
  const responseContent = (name: string) =>
    paths[`/svc/plugin/${name}`]!.get!.responses[200]!.content;
  const binary = { schema: { type: "string", format: "binary" } };
  assert.equal(responseContent("picture"), { "image/png": binary });
  assert.equal(responseContent("login"), { "*/*": binary });
  assert.equal(responseContent("table"), { "text/csv": { schema: { type: "string" } } });
  assert.equal(Object.keys(responseContent("page")!), ["text/html", "application/json"]);
  const { readFileSync } = await import("node:fs");
  const types = readFileSync(path("sdk/index.d.ts"), "utf8");
  assert.match(types, 'export type PictureResult = HttpResponse<"image/png">;');
  assert.match(types, /picture\(params\?: PictureParams, options\?: CallOptions\): Promise<Pict/);
  assert.match(types, "export type LoginResult = HttpResponse;");
  const python = readFileSync(path("py/client.py"), "utf8");
  assert.match(python, 'HttpResponse[Literal["image/png"]]');
  const registry = readFileSync(path(".svc/plugins.d.ts"), "utf8");
  assert.match(registry, 'result: HttpResponse<"image/png">;');
});

test("become images, texts and resources in MCP", async () => {
  const argspec = await loadArgspec(project.folder);
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const caller = new ToolCaller(argspec, new Connection({ baseUrl }, argspec.hash));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = (await caller.call(name, args, new AbortController().signal))!;
    return content[0];
  };
  const data = Buffer.from(BYTES).toString("base64");
  assert.equal(await call("picture"), { type: "image", data, mimeType: "image/png" });
  assert.equal(await call("table"), { type: "text", text: "a,b\n" });
  assert.equal(await call("page", { name: "json" }), { type: "text", text: '{"n":1}' });
  const resource = { uri: "svc:/svc/plugin/anything", mimeType: "application/zip", blob: "WA==" };
  const zip = await call("anything", { type: "application/zip", text: "X" });
  assert.equal(zip, { type: "resource", resource });
  assert.equal(await call("moved"), { type: "text", text: "status 302 to /svc/plugin/page" });
});

test("set several cookies, also through a dispatcher", async () => {
  // Back-ends need `net`.
  const backEnd = await serve(project.folder, "--executors", "1", "--transport", "net");
  const back = `[{ host: "127.0.0.1", port: ${backEnd.port} }]`;
  const matrix = `{ partitions: [${back}], replicas: [{ channels: 4 }] }`;
  const settings = `import { defineConfig } from "svc-server/config";
export default defineConfig({ dispatcher: ${matrix} });`;
  const front = new TemporaryProject({
    "svc.config.ts": settings,
    "plugins/double.ts": GOOD_PLUGIN,
  });
  await buildProject(front.folder);
  const dispatcher = await serve(front.folder, ...OPTIONS);
  for (const { port } of [server, dispatcher]) {
    const { headers, text } = await get(port, "/svc/plugin/login");
    assert.is(text, "in");
    assert.equal(headers.getSetCookie(), ["a=1; HttpOnly", "b=2; Path=/"]);
    assert.is(headers.get("content-type"), "text/plain; charset=UTF-8");
    const picture = await get(port, "/svc/plugin/picture");
    assert.is(picture.headers.get("content-type"), "image/png");
    assert.is(picture.headers.get("etag"), '"7"');
    const json = await get(port, "/svc/plugin/page?name=json");
    assert.is(json.headers.get("content-type"), "application/json; charset=UTF-8");
  }
  await Promise.all([dispatcher.stop(), backEnd.stop()]);
  front.remove();
});

test.run();
