// Contract of a running server: each form of `/svc/builtin/argspec`, and `X-SVC-Argspec`.
// limit: 60 s
// takes 15 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { selectPlugin } from "../../argspec/select.js";
import { emitTypescriptTypes } from "../../argspec/typescript/client.js";
import { matrix } from "./support/matrix.js";
import {
  buildProject,
  type DecodedResponse,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("argspec of a server");
const ASKING = { "x-svc-argspec": "whatever" };
const CITIES = `import type { int, PluginRequest, str } from "svc-server";
import { PluginResponse, plugin } from "svc-server";

/** A place. */
export interface City {
  name: str;
  /** Of all inhabitants. */
  population: int;
}

/** Finds cities. @plugin @readonly */
export function search(_request: PluginRequest, q: str, limit: int = 10) {
  const response = new PluginResponse<str, City>();
  if (limit > 0) response.append(q, { name: q, population: limit });
  return response;
}

/** Has no part in what ping answers for the server. @plugin */
export function ping(_request: PluginRequest, city: City): str {
  if (city.population < 0) throw new RangeError("nobody");
  return city.name;
}

/** The first of them. */
export const first = plugin.post({ name: "first" }, (response: PluginResponse) => response);
`;
const project = new TemporaryProject({ "plugins/cities.ts": CITIES });
let server: RunningServer;
let built: Argspec;

test.before(async () => {
  await buildProject(project.folder);
  const text = readFileSync(join(project.folder, ".svc", "argspec.json"), "utf8");
  built = readArgspec(JSON.parse(text));
  server = await serve(project.folder);
});

test.after(async () => {
  await server.end();
  project.remove();
});

async function form(query: string, port = server.port): Promise<unknown> {
  const { status, json, text } = await get(port, `/svc/builtin/argspec?${query}`);
  assert.is(status, 200, text);
  return json.response;
}

const schema = (port?: number) => form("format=schema", port) as Promise<Argspec>;

const readHash = ({ headers }: DecodedResponse) => headers.get("x-svc-argspec");

test("returns the schema of the build on both ports", async () => {
  for (const port of [server.port, server.port + 1]) {
    assert.is(JSON.stringify(await schema(port)), JSON.stringify(built));
  }
});

test("returns one plugin with the types that it refers to", async () => {
  assert.equal(await form("format=schema&plugin=search"), selectPlugin(built, "search"));
  // The service's own plugin comes before a built-in one.
  assert.equal(await form("plugin=ping&format=schema"), selectPlugin(built, "ping"));
  const { service } = built;
  assert.equal(await form("format=schema&plugin=echo"), {
    ...selectPlugin(BUILTINS, "echo"),
    service,
  });
});

test("returns the OpenAPI document of the build", async () => {
  assert.equal(await form("format=openapi"), openapiDocument(built));
  const document = openapiDocument(selectPlugin(built, "search"));
  assert.equal(await form("format=openapi&plugin=search"), document);
});

test("returns the declarations of the build as text", async () => {
  const declarations = await emitTypescriptTypes(built);
  assert.is(await form("format=typescript"), declarations);
  const path = "/svc/builtin/argspec?format=typescript";
  const plainResponse = await get(server.port, path, { headers: { accept: "text/plain" } });
  assert.is(plainResponse.text, declarations);
  assert.match(String(await form("format=typescript&plugin=search")), /interface City\b/);
});

test("returns the records of the interface without a form, or with `record`", async () => {
  const records = await form("plugin=search");
  // The built-in plugin of the same name has a record, too.
  assert.equal(
    (records as { readonly path: string }[]).map(({ path }) => path),
    ["/svc/plugin/search", "/svc/builtin/search"],
  );
  assert.equal((records as object[])[0], {
    path: "/svc/plugin/search",
    description: "Finds cities.",
    parameters: { request: "PluginRequest", q: "str", limit: "int" },
    bound_graph: null,
  });
  for (const query of ["plugin=search&format=record", "format=schema&"]) {
    const last = query.endsWith("&") ? `${query}format=record&plugin=search` : query;
    assert.equal(await form(last), records, query);
  }
});

test("rejects invalid parameters like any plugin", async () => {
  const getArgspec = (query: string) => get(server.port, `/svc/builtin/argspec${query}`);
  for (const query of ["?plugin=nosuch", "?plugin=nosuch&format=schema"]) {
    const { status, json } = await getArgspec(query);
    assert.is(status, 404, query);
    assert.equal(json.message, {
      svc: { exception: "<class 'LookupError'>", value: "undefined plugin: nosuch" },
    });
  }
  const queries = [
    "",
    "?format=record",
    "?format=xml",
    "?plugin=search&format",
    "?format=(int)1",
    "?format=%zz",
    "?f%6frmat=x",
  ];
  for (const query of queries) assert.is((await getArgspec(query)).status, 400, query);
  assert.is((await getArgspec("?f%6frmat=sch%65ma")).status, 200);
});

test("sends its hash in responses to clients that send one", async () => {
  const text = { accept: "text/plain" };
  const questions: [path: string, status: number, init?: RequestInit][] = [
    ["/svc/plugin/search?q=a", 200],
    ["/svc/plugin/search?q=a", 200, { headers: text }],
    ["/svc/plugin/search?q=a", 200, { headers: { accept: "application/x-svc-partial" } }],
    ["/svc/plugin/search?q=a", 200, { method: "POST", body: "x" }],
    ["/svc/plugin/search", 400],
    ["/svc/plugin/search", 400, { headers: text }],
    ['/svc/plugin/ping?city={"name":"a","population":-1}', 500],
    ["/svc/plugin/nosuch", 404],
    ["/svc/plugin/search?q=a", 405, { method: "PUT" }],
    ["/svc/plugin/first", 500],
    ["/svc/builtin/ping", 200],
    ["/svc/builtin/vertices?graph=nosuch", 500],
    ["/svc/builtin/argspec?format=schema", 200],
    ["/svc/time", 200],
    ["/svc/hc", 200],
    ["/svc/nosuch", 404],
  ];
  for (const [path, status, init = {}] of questions) {
    for (const port of [server.port, server.port + 1]) {
      const response = await get(port, path, { ...init, headers: { ...ASKING, ...init.headers } });
      assert.is(response.status, status, path);
      assert.is(readHash(response), built.hash, path);
      assert.is(response.headers.get("access-control-expose-headers"), null);
      assert.is(readHash(await get(port, path, init)), null, path);
    }
  }
});

test("exposes the hash to cross-origin pages", async () => {
  const openServer = await serve(project.folder, "--cors", "*");
  const { headers } = await get(openServer.port, "/svc/builtin/ping", { headers: ASKING });
  assert.is(headers.get("x-svc-argspec"), built.hash);
  assert.is(headers.get("access-control-expose-headers"), "X-SVC-Argspec");
  const plainResponse = await get(openServer.port, "/svc/builtin/ping");
  assert.is(plainResponse.headers.get("access-control-expose-headers"), null);
  await openServer.end();
});

test("returns the contract of the whole matrix from an instance with one role", async () => {
  for (const [role, paths] of [
    ["engine", ["ping", "search"]],
    ["dispatcher", ["first"]],
  ] as const) {
    const part = await serve(project.folder, "--role", role, "--prefix", "shop");
    const argspec = readArgspec(await schema(part.port));
    assert.equal(
      [argspec.hash, argspec.plugins, argspec.$defs],
      [built.hash, built.plugins, built.$defs],
    );
    assert.equal(argspec.service, { name: "temporary", prefix: "/shop" });
    const ping = await get(part.port, "/svc/builtin/ping", { headers: ASKING });
    assert.is(readHash(ping), built.hash);
    const { response } = (await get(part.port, "/svc/plugins")).json;
    assert.equal(
      (response as { path: string }[]).map(({ path }) => path),
      paths.map((name) => `/svc/plugin/${name}`),
    );
    await part.stop();
  }
});

test("refuses a build that was replaced during startup or lacks a file", async () => {
  const otherProject = new TemporaryProject({ "plugins/cities.ts": CITIES });
  const failure = async () =>
    String(await serve(otherProject.folder).catch((error: Error) => error));
  try {
    await buildProject(otherProject.folder);
    for (const name of ["argspec.json", "routes.json"]) {
      const path = `.svc/${name}`;
      const text = readFileSync(join(otherProject.folder, path), "utf8");
      otherProject.write(path, text.replace("search", "seek"));
      assert.match(await failure(), new RegExp(`SVC3006: build was replaced [^:]*: ${path}`));
      otherProject.remove(path);
      assert.match(await failure(), `SVC3006: build lacks ${path}`);
      otherProject.write(path, text);
    }
  } finally {
    otherProject.remove();
  }
});

test("sends the hash of the dispatcher, regardless of the responding instance", async () => {
  const lowerMatrix = await matrix(2, 1);
  const { port } = lowerMatrix.dispatcher;
  const { hash, plugins } = await schema(port);
  assert.ok(plugins.length > 0);
  assert.is.not((await schema(lowerMatrix.place(0, 0).proxy.target)).hash, hash);
  const paths = ["find?n=1", "nosuch", "new", "find?n=x"];
  for (const path of paths) {
    for (const accept of ["application/json", "text/plain", "application/x-svc-partial"]) {
      const headers = { ...ASKING, accept };
      assert.is(readHash(await get(port, `/svc/plugin/${path}`, { headers })), hash, path);
    }
    assert.is(readHash(await get(port, `/svc/plugin/${path}`)), null);
  }
  const identified = await get(port, "/svc/builtin/Identify", { headers: ASKING });
  assert.is(readHash(identified), hash);
  await lowerMatrix.stop();
});

test.run();
