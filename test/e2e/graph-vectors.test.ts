// limit: 30 s
// Vectors by name over HTTP: created, searched, indexed and converted.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { get } from "./support/server.js";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, system }: typeof Library = await import(built);

const test = suite("vectors by name over HTTP");
const root = mkdtempSync(join(tmpdir(), "svc-vectors-"));

test.before(async () => {
  await system.initialize("vectors", { http: 0, root });
  new Graph("g");
});

test.after(async () => {
  await system.unload();
  rmSync(root, { recursive: true });
});

const CHANGE = { method: "POST", headers: { "X-SVC-Change": "1" } };

type Parameters = Readonly<Record<string, string | number>>;

function buildPath(name: string, parameters: Parameters): string {
  const query = Object.entries(parameters).map(
    ([key, item]) => `${key}=${encodeURIComponent(item)}`,
  );
  return `/svc/builtin/${name}?${query.join("&")}`;
}

function request(name: string, parameters: Parameters, port: 0 | 1, init: RequestInit = CHANGE) {
  return get(system.serverPorts().base + port, buildPath(name, parameters), init);
}

async function response(name: string, parameters: Parameters, port: 0 | 1): Promise<unknown> {
  const { status, text, json } = await request(name, { graph: "g", ...parameters }, port);
  assert.is(status, 200, text);
  return json.response;
}

test("create vertices with vectors by name, and search one or several", async () => {
  for (const port of [0, 1] as const) {
    const base64 = Buffer.from(new Float32Array([0, 1]).buffer).toString("base64");
    const vectors = JSON.stringify({ title: [1, 0], image: base64 });
    await response("createvertex", { id: "one", vectors }, port);
    const body = JSON.stringify({ vectors: { title: [0, 1], image: [1, 0] } });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    await request("createvertex", { graph: "g", id: "two" }, port, init);
    const first = async (params: Record<string, string>): Promise<string> => {
      const [hit] = (await response("nearest", { hits: 1, ...params }, port)) as { id: string }[];
      return hit!.id;
    };
    assert.is(await first({ vectors: '{"title": [0, 1]}' }), "two");
    assert.is(await first({ vector: "[0, 1]", name: "image" }), "one");
    assert.is(await first({ id: "two", name: "title" }), "two");
    const both = { vectors: '{"title": [1, 0], "image": [1, 0]}' };
    assert.is(await first({ ...both, weights: '{"title": 3}' }), "one");
    assert.is(await first({ ...both, weights: '{"image": 3}' }), "two");
    for (const params of [
      { vectors: "[1]" },
      { vectors: '{"title": []}' },
      { vectors: '{"": [1]}' },
      { ...both, weights: '{"other": 1}' },
      { vectors: '{"title": [["red", 1]]}' },
    ]) {
      const refusedResponse = await request("nearest", { graph: "g", ...params }, port);
      assert.is(refusedResponse.status, 400, refusedResponse.text);
    }
    await response("index", { what: "vectors", length: 2, name: "title" }, port);
    assert.is(new Graph("g").indexes()[0]!.name, "title");
    await response("dropindex", { what: "vectors", length: 2, name: "title" }, port);
    const exact = { precision: "float32", name: "title" };
    assert.equal(await response("rebuildvectors", exact, port), {
      ...{ converted: 2, precision: "float32", measure: "cosine", vectors: 2 },
    });
    await response("rebuildvectors", { ...exact, precision: "int8" }, port);
    for (const id of ["one", "two"]) await response("deletevertex", { id }, port);
  }
});

test("binary vectors are set, searched and converted, and others are refused", async () => {
  for (const port of [0, 1] as const) {
    const bits = { name: "bits", precision: "binary" };
    assert.equal(await response("rebuildvectors", bits, port), {
      ...{ converted: 0, precision: "binary", measure: "cosine", vectors: 0 },
    });
    const base64 = Buffer.from(new Float32Array([0, 1, 1]).buffer).toString("base64");
    await response("createvertex", { id: "list", vectors: '{"bits": [1, 0, 0]}' }, port);
    await response("createvertex", { id: "text", vectors: `{"bits": "${base64}"}` }, port);
    const nearest = async (vector: string): Promise<unknown> => {
      const [hit] = (await response("nearest", { vector, name: "bits" }, port)) as object[];
      return hit;
    };
    assert.equal(await nearest("[1, 0, 0]"), { id: "list", similarity: 1 });
    assert.equal(await nearest(base64), { id: "text", similarity: 1 });
    // Probes of other numbers are compared with the bits.
    assert.equal(await nearest("[0.5, 0, 0]"), { id: "list", similarity: 1 });
    for (const [vectors, status] of [
      ['{"bits": [1, null]}', 400],
      ['{"bits": [1e99]}', 400],
      ['{"bits": "AAA="}', 400],
      ['{"bits": [["red", 1]]}', 400],
      ['{"bits": [0.5, 1]}', 500],
    ] as const) {
      const refusedResponse = await request(
        "createvertex",
        { graph: "g", id: "no", vectors },
        port,
      );
      assert.is(refusedResponse.status, status, refusedResponse.text);
    }
    await response("rebuildvectors", { ...bits, precision: "float32" }, port);
    await response("createvertex", { id: "half", vectors: '{"bits": [0.5, 1]}' }, port);
    const rejection = await request("rebuildvectors", { graph: "g", ...bits }, port);
    assert.is(rejection.status, 400);
    assert.match(rejection.text, /vector of 'half' is not of 0 and 1/);
    assert.is(new Graph("g").vectorNames.bits!.precision, "float32");
    for (const id of ["list", "text", "half"]) await response("deletevertex", { id }, port);
  }
});

test.run();
