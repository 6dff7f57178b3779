// Errors in responses and in the log: class names as in the sources, and stack frames of the
// sources, however deep the library is below them.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const SHOP = `import type { Graph, int, PluginRequest } from "svc-server";

class NotFound extends Error {}
class ShopError extends Error {
  static of(text: string): ShopError {
    return new ShopError(text);
  }
}

/** @plugin */
export function shop(_request: PluginRequest): never {
  throw new NotFound("in the shop");
}

/** @plugin */
export function itself(_request: PluginRequest): never {
  throw ShopError.of("own name");
}

function dive(depth: int): never {
  if (depth === 0) throw new NotFound("deep");
  return dive(depth - 1);
}

/** @plugin */
export function deep(_request: PluginRequest, depth: int): never {
  return dive(depth);
}

/** @plugin @graph goods */
export function graphs(_request: PluginRequest, graph: Graph): unknown {
  return graph.neighborhood("nowhere", { hits: "many" as never });
}

/** @plugin */
export function late(_request: PluginRequest): string {
  void Promise.resolve().then(() => {
    throw new NotFound("later");
  });
  return "ok";
}

/** @plugin */
export function shown(request: PluginRequest): unknown {
  return request.constructor.name;
}
`;
const BOOKS = `import type { PluginRequest } from "svc-server";

class NotFound extends Error {}

/** @plugin */
export function books(_request: PluginRequest): never {
  throw new NotFound("among the books");
}
`;

interface PluginMessage {
  readonly plugin: { readonly exception: string; readonly value: string; traceback: string[] };
}

const test = suite("plugin errors");
const project = new TemporaryProject({ "plugins/shop.ts": SHOP, "plugins/books.ts": BOOKS });
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  server = await serve(project.folder);
});

test.after(async () => {
  await server.end();
  project.remove();
});

async function thrown(path: string): Promise<PluginMessage["plugin"]> {
  const { status, json } = await get(server.port, `/svc/plugin/${path}`);
  assert.is(status, 500, JSON.stringify(json));
  return (json.message as PluginMessage).plugin;
}

test("have the class names of the sources", async () => {
  assert.is((await thrown("shop")).exception, "<class 'NotFound'>");
  assert.is((await thrown("books")).exception, "<class 'NotFound'>");
  assert.is((await thrown("itself")).exception, "<class 'ShopError'>");
  assert.is((await get(server.port, "/svc/plugin/shown")).json.response, "PluginRequest");
});

test("show up to 20 frames of the sources", async () => {
  for (const [depth, frames] of [
    [3, 5],
    [40, 20],
  ]) {
    const { traceback } = await thrown(`deep?depth=${depth}`);
    assert.is(traceback.length, frames);
    assert.match(traceback[0]!, /^ {4}at dive \(plugins\/shop\.ts:21:\d+\)\n$/);
  }
});

test("show frames above an error of a graph", async () => {
  const { traceback } = await thrown("graphs");
  assert.is(traceback.length, 1);
  assert.match(traceback[0]!, /plugins\/shop\.ts:32:16\)\n$/);
});

test("are logged with their position when thrown outside of a request", async () => {
  assert.is((await get(server.port, "/svc/plugin/late")).json.response, "ok");
  while (!server.log().includes("exception outside")) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.match(server.log(), /uncaught exception outside a request: NotFound: later/);
  assert.match(server.log(), /plugins\/shop\.ts:38:11/);
});

test.run();
