// Log entries of plugins, and non-finite numbers in results.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { float, json, PluginRequest, str } from "svc-server";

/** @plugin */
export function say(request: PluginRequest, text: str): string {
  request.log.debug("not told");
  request.log.info(text, { article: 7 });
  return text;
}

/** @plugin */
export function ratio(_request: PluginRequest, a: float, b: float): number { return a / b; }

/** @plugin */
export function parts(_request: PluginRequest): { name: string; values: float[] } {
  return { name: "x", values: [1, Number.NaN] };
}

interface Tree { weight: float; children: Tree[]; tag: [str, float | null] }

/** @plugin */
export function tree(_request: PluginRequest, bad: str): Tree {
  const leaf = { weight: bad === "weight" ? Number.NaN : 1, children: [] };
  const tag: [str, float] = ["a", bad === "tag" ? Number.POSITIVE_INFINITY : 1];
  return { weight: 2, children: [{ ...leaf, tag }], tag: ["b", null] };
}

/** @plugin */
export async function* weights(_request: PluginRequest): AsyncGenerator<{ weight: float }> {
  yield { weight: Number.NaN };
}

/** @plugin */
export function open(_request: PluginRequest): { weight: float; more: json } {
  return { weight: 1, more: Number.NaN as never };
}

/** @plugin */
export function anything(_request: PluginRequest): json { return Number.NaN as never; }
`;

const test = suite("request log");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  server = await serve(project.folder, "--log-format", "json");
});
test.after(async () => {
  await server?.end();
  project.remove();
});

const request = (path: string, headers = {}) =>
  get(server.port, `/svc/plugin/${path}`, { headers });

test("entries carry request and fields, and cannot be forged", async () => {
  await request(`say?text=${encodeURIComponent('one\n{"level":"error"}')}`, {
    "X-Request-Id": "r1",
  });
  const entry = await (async () => {
    for (;;) {
      const line = server
        .log()
        .split("\n")
        .find((text) => text.includes('"request":"r1"'));
      if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  assert.is(entry.path, "/svc/plugin/say");
  assert.is(entry.article, 7);
  assert.not.match(server.log(), "not told");
});

test("results with non-finite numbers are rejected", async () => {
  assert.is((await request("ratio?a=1&b=2")).json.response, 0.5);
  assert.is((await request("tree?bad=no")).status, 200);
  const nested = ["tree?bad=weight", "tree?bad=tag", "weights"];
  for (const path of ["ratio?a=0&b=0", "ratio?a=1&b=0", "parts", ...nested]) {
    const response = await request(path);
    assert.is(response.status, 500, path);
    assert.match(response.text, "NaN or an infinite number");
  }
  assert.equal((await request("open")).json.response, { weight: 1, more: "NaN" });
  assert.is((await request("anything")).json.response, "NaN");
});

test.run();
