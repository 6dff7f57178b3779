// Plugins of a matrix: engines that return the request as it arrived, and pre- and post-processors
// with each possible return value.

import { appendFileSync, existsSync } from "node:fs";
import type * as Library from "svc-server";
import type { PluginRequest, PluginResponse } from "svc-server";

const MANY = 5;
/** Instead of the one in the parameters. */
export const OWN_SIGNATURE = "ab".repeat(16);

/** @param journal file that gets a line for each execution of `write` and `hold` */
export function addEngines(svc: typeof Library, journal: string): void {
  const { bytes, int, PluginResponse, S_DESC, S_VAL, str, system } = svc;

  function add(name: string, parameters: object, fn: (...args: never[]) => unknown): void {
    system.addPlugin(fn, { name, parameters: { request: null, ...parameters } });
  }

  function reply(item: unknown, key: number): PluginResponse {
    const response = new PluginResponse(-1);
    response.append(key, item);
    return response;
  }

  const find = svc.plugin({ readonly: true }, (request: PluginRequest, n: number) => {
    const response = new PluginResponse({ maxhits: n, sortby: S_VAL | S_DESC });
    for (let i = 0; i < n; i++) {
      response.append(100 - i * 10 - request.partition, { partition: request.partition, i });
    }
    response.i0 = 1;
    response.f2 = 0.5;
    response.meta = { partition: request.partition };
    return response;
  });
  add("find", { n: [int, MANY] }, find as (...args: never[]) => unknown);
  add("where", {}, (request: PluginRequest) => {
    const { ident, toplevel, primary, partial, width, height, depth, partition } = request;
    const { replica, channel, hasmatrix, baseport, path, method } = request;
    const position = { ident, width, height, depth, partition, replica, channel, primary };
    return reply({ ...position, toplevel, partial, hasmatrix, baseport, path, method }, partition);
  });
  add("params", {}, (request: PluginRequest) => reply(request.params, request.partition));
  add("headers", { headers: str }, (request: PluginRequest, headers: string) =>
    reply(headers, request.partition),
  );
  add("echo", { content: bytes }, (request: PluginRequest, content: Uint8Array) =>
    reply(content, request.partition),
  );
  add("postOnly", {}, (request: PluginRequest) => reply("x", request.partition));
  add("plain", {}, () => [1]);
  add("fails", {}, () => {
    throw new RangeError('no "stock"');
  });
  add("big", { n: int }, (request: PluginRequest, n: number) => {
    return reply("ä".repeat(n), request.partition);
  });
  add("many", { n: int }, (request: PluginRequest, n: number) => {
    const response = new PluginResponse(-1);
    for (let i = 0; i < n; i++) response.append(2 * i + request.partition, `item ${i}`);
    return response;
  });
  add("wait", { ms: int }, async (request: PluginRequest, ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return reply(request.replica, request.partition);
  });
  add("hold", {}, async (request: PluginRequest) => {
    appendFileSync(journal, `hold ${request.partition}\n`);
    while (!existsSync(`${journal}.released`))
      await new Promise((resolve) => setTimeout(resolve, 5));
    return reply(request.replica, request.partition);
  });
  add("write", { id: str }, (request: PluginRequest, id: string) => {
    appendFileSync(journal, `${id} ${request.partition}\n`);
    return reply(id, request.partition);
  });
  add("text", { s: [str, ""] }, (request: PluginRequest, s: string) =>
    request.toplevel ? s : reply(s, request.partition),
  );
}

export function addProcessors(svc: typeof Library): void {
  addPres(svc);
  addPosts(svc);
}

function addPres({ int, PluginRequest, PluginResponse, str, system }: typeof Library): void {
  function add(name: string, parameters: object, pre: (...args: never[]) => unknown): void {
    system.addPlugin(null, { name, pre, parameters: { request: null, ...parameters } });
  }

  // The received request goes to engines of the same name.
  add("params", { extra: [str, ""] }, (request: PluginRequest, extra: string) => {
    if (extra !== "") Object.assign(request.params, { extra: 7, half: 0.5, text: "ü &=%" });
    return request;
  });
  add("passes", {}, ({ params }: PluginRequest) => new PluginRequest("params", params));
  add("new", {}, () => new PluginRequest("find", { n: 1 }));
  add("newPost", {}, () => {
    return new PluginRequest("echo", null, { "X-Own": "1" }, "from pre");
  });
  add("newHeaders", {}, () => new PluginRequest("headers", null, { "X-Own": "1" }));
  add("unknown", {}, () => new PluginRequest("nothere"));
  add("early", {}, (request: PluginRequest) => {
    const response = new PluginResponse(-1);
    response.append(1, `early at ${request.baseport}`);
    return response;
  });
  add("object", {}, () => ({ plain: true }));
  add("throws", {}, () => {
    throw new TypeError("pre failed");
  });
  add("unkept", {}, (request: PluginRequest) => {
    request.local = () => {};
    return request;
  });
  add("unsendable", {}, () => new PluginRequest("find", { n: Symbol("x") }));
  for (const [name, set] of [
    ["affine", (request: PluginRequest, n: number) => Object.assign(request, { affinity: n })],
    ["primary", (request: PluginRequest) => Object.assign(request, { primary: 1 })],
    ["partial", (request: PluginRequest, n: number) => Object.assign(request, { partial: n })],
  ] as const) {
    add(name, { n: [int, 0] }, (_: PluginRequest, n: number) => {
      return set(new PluginRequest("where"), n);
    });
  }
  // Attributes of its position that a pre-processor sees.
  add("arrival", {}, ({ primary, ident, toplevel, hasmatrix }: PluginRequest) => {
    return { primary, ident, toplevel, hasmatrix };
  });
}

/** Attributes of its request that a response has. */
function shown(response: PluginResponse): object {
  const { flag, local, signature, texec, resubmits, toplevel, hasmatrix } = response;
  const { level, levelparts, partials, requestmethod, requestpath } = response;
  const counts = { level, levelparts, partials, resubmits, toplevel, hasmatrix };
  const facts = { flag, local, signature, texec: texec > 0 && texec < 60 };
  return { ...facts, ...counts, requestmethod, requestpath };
}

function addPosts({ PluginRequest, PluginResponse, str, system }: typeof Library): void {
  type Pre = (request: PluginRequest, how: string) => unknown;

  /** A pair of processors around `find`. */
  function add(name: string, post: (response: PluginResponse) => unknown, pre: Pre = find): void {
    const parameters = { request: null, how: [str, ""] } as const;
    system.addPlugin(null, { name, pre, post, parameters });
  }

  function find(): PluginRequest {
    return new PluginRequest("find", { n: 2 });
  }

  add("keeps", shown, (_request, how) => {
    const forwarded = find();
    if (how === "nothing") return forwarded;
    forwarded.flag = "12345678";
    forwarded.local = { a: [1, new Date(0)] };
    if (how === "own signature") forwarded.signature = OWN_SIGNATURE;
    else if (how !== "no signature") forwarded.signature;
    return forwarded;
  });
  add("modified", (response) => {
    response.message = `${response.entries.length} entries`;
    response.i0 += 100;
    response.meta = "post";
    return response;
  });
  add("replaced", (response) => {
    const failure = new PluginResponse(-1);
    failure.append("key", response.hitcount);
    return failure;
  });
  add("object2", ({ entries }) => entries.length);
  add("postThrows", (_response) => {
    throw new TypeError("post failed");
  });
  add("foreign", (_response) => new PluginRequest("find"));
  add("later", async (response) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return response;
  });
  // Resubmits for twice as many until there are eight.
  add(
    "widens",
    (response) => {
      if (response.entries.length >= 8) return { asked: response.resubmits, n: response.maxhits };
      const repeatedRequest = response.resubmittable();
      repeatedRequest.params.n = 2 * response.maxhits;
      return repeatedRequest;
    },
    find,
  );
  add(
    "resubmitsPost",
    (response) => response.resubmittable(),
    () => {
      return new PluginRequest("echo", null, null, "x");
    },
  );
  system.addPlugin(null, {
    name: "postOnly",
    post: (response: PluginResponse) => response.entries.length,
  });
}
