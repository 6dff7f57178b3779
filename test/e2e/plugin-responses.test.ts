// Responses that plugins control: status, bytes of any media type, header fields.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";

const SHOP = `import { HttpError, HttpResponse } from "svc-server";
import type { int, PluginRequest, str } from "svc-server";

class Gone extends HttpError {
  constructor(id: string) {
    super(410, \`\${id} was sold\`, { id, tags: ["a", "ü"] });
  }
}

/** @plugin */
export function product(_request: PluginRequest, id: str, status: int = 404): string {
  if (id === "sold") throw new Gone(id);
  if (id !== "known") throw new HttpError(status, "no such product");
  return id;
}

/** @plugin */
export async function later(_request: PluginRequest): Promise<string> {
  await null;
  throw new HttpError(409, "too late", { secret: undefined });
}

/** @plugin */
export function image(_request: PluginRequest): HttpResponse {
  const bytes = new Uint8Array([0xff, 0xfe, 0x00, 0x41]);
  return new HttpResponse(bytes, { type: "image/png", headers: { ETag: '"7"', "X-A": "é" } });
}

/** @plugin */
export function page(_request: PluginRequest, name: str): HttpResponse | string {
  if (name === "") return "plain";
  const type = "text/html; charset=utf-8";
  return new HttpResponse(\`<p>grüße \${name.length}\`, { status: 201, type });
}

/** @plugin */
export function moved(_request: PluginRequest): HttpResponse {
  return new HttpResponse("", { status: 302, headers: { Location: "/svc/plugin/page?name=x" } });
}

/** @plugin */
export function status(_request: PluginRequest, status: int, body: str = ""): HttpResponse {
  return new HttpResponse(body, { status });
}

/** @plugin */
export function evil(_request: PluginRequest, name: str, value: str): HttpResponse {
  return new HttpResponse("x", { headers: { [name]: value } });
}
`;

const test = suite("plugin responses");
const project = new RunningProject(test, { "plugins/shop.ts": SHOP });

const request = (path: string, init: RequestInit = {}) => {
  return get(project.server.port, `/svc/plugin/${path}`, init);
};

test("an HttpError has its status, without a stack trace", async () => {
  for (const status of [400, 404, 503, 599]) {
    const response = await request(`product?id=x&status=${status}`);
    assert.is(response.status, status);
    const exception = "<class 'HttpError'>";
    const detail = { exception, value: "no such product", traceback: [] };
    assert.equal(response.json.message, { plugin: detail });
  }
  const text = await request("product?id=x", { headers: { accept: "text/plain" } });
  assert.equal([text.status, text.text], [404, "ERROR: HttpError: no such product"]);
});

test("subclasses of HttpError carry details for programs", async () => {
  const sold = await request("product?id=sold");
  const details = { id: "sold", tags: ["a", "ü"] };
  assert.is(sold.status, 410);
  assert.equal((sold.json.message as { plugin: object }).plugin, {
    exception: "<class 'Gone'>",
    value: "sold was sold",
    traceback: [],
    details,
  });
  const lateResponse = await request("later");
  assert.equal([lateResponse.status, lateResponse.json.status], [409, "ERROR"]);
});

test("an invalid error status is reported as an error of the plugin", async () => {
  const { status, json } = await request("product?id=x&status=200");
  assert.is(status, 500);
  assert.match(JSON.stringify(json.message), /status of an HttpError: 400 to 599, not 200/);
});

test("bytes are sent unchanged with the media type of the plugin", async () => {
  const response = await fetch(`http://127.0.0.1:${project.server.port}/svc/plugin/image`);
  assert.equal([...new Uint8Array(await response.arrayBuffer())], [0xff, 0xfe, 0, 0x41]);
  assert.is(response.headers.get("content-type"), "image/png");
  assert.equal([response.headers.get("etag"), response.headers.get("x-a")], ['"7"', "é"]);
  assert.is(response.headers.get("server"), "SVC/3");
});

test("strings are UTF-8 with any status; other results stay values", async () => {
  const page = await request("page?name=abc");
  assert.equal([page.status, page.text], [201, "<p>grüße 3"]);
  assert.is(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.is((await request("page?name=")).json.response, "plain");
  const moved = await request("moved", { redirect: "manual" });
  assert.equal([moved.status, moved.headers.get("location")], [302, "/svc/plugin/page?name=x"]);
});

test("a body is an error with a status that allows none, not the next response", async () => {
  for (const status of [204, 205, 304]) {
    const { json, ...response } = await request(`status?status=${status}&body=HTTP/1.1%20200%20OK`);
    assert.is(response.status, 500);
    assert.match(JSON.stringify(json.message), new RegExp(`of status ${status} has no body`));
    const emptyResponse = await fetch(
      `http://127.0.0.1:${project.server.port}/svc/plugin/status?status=${status}`,
    );
    assert.equal([emptyResponse.status, await emptyResponse.text()], [status, ""]);
  }
});

test("header fields cannot inject another response", async () => {
  for (const [name, value] of [
    ["Content-Length", "0"],
    ["transfer-encoding", "chunked"],
    ["Connection", "close"],
    ["X-A", "1\r\nX-B: 2"],
    ["X-A: 1\r\nX-B", "2"],
    ["", "x"],
    ["X-A", "\u20ac"],
  ] as const) {
    const query = new URLSearchParams({ name, value });
    const { status, json, headers } = await request(`evil?${query}`);
    assert.is(status, 500, name);
    assert.match(JSON.stringify(json.message), /header field/);
    assert.is(headers.get("x-b"), null);
  }
});

test.run();
