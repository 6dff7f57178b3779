// Registration with all its checks, and calls of functions whose signature is given as data.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../../../argspec/argspec.js";
import type { SvcError } from "../../../../runtime/base/errors.js";
import type { RequestSource } from "../../../../runtime/plugin/contract/request-source.js";
import { parseShared } from "../../../../runtime/plugin/contract/shared-argspec.js";
import { bytes, float, int, json, str } from "../../../../runtime/plugin/contract/types.js";
import {
  type AddPluginArguments,
  addPlugin,
} from "../../../../runtime/plugin/register/add-plugin.js";
import { plugin } from "../../../../runtime/plugin/register/plugin.js";
import { PluginRegistry } from "../../../../runtime/plugin/register/registry.js";
import {
  type PluginRequest,
  requestFrom,
} from "../../../../runtime/plugin/request/plugin-request.js";
import { setGraphBinder } from "../../../../runtime/plugin/run/graph-binding.js";
import { requestSource } from "../../../support/request-source.js";

const test = suite("addPlugin");

const echo = (_request: PluginRequest, ...args: unknown[]): unknown => args;

function registryWith(...args: AddPluginArguments): PluginRegistry {
  const registry = new PluginRegistry();
  addPlugin(registry, ...args);
  return registry;
}

/** Result of a plugin, by name. */
function call(registry: PluginRegistry, name: string, parts: Partial<RequestSource> = {}): unknown {
  const entry = registry.get(name)!;
  const source = requestSource(parts);
  return entry.invoke(requestFrom(source, entry.readers), source);
}

function fails(args: unknown[], name: string, message: string): void {
  const registry = new PluginRegistry();
  assert.throws(
    () => addPlugin(registry, ...(args as AddPluginArguments)),
    (error: SvcError) => {
      assert.equal([error.code, error.name, error.message], ["SVC2101", name, message]);
      return true;
    },
  );
  assert.equal(registry.describe(), [], "nothing was registered");
}

test("requires a registry", () => {
  assert.throws(
    () => addPlugin(null, echo),
    (error: SvcError) =>
      error.code === "SVC2104" && error.message === "No registry (system not initialized?)",
  );
});

test("passes converted arguments in the given order", () => {
  const registry = registryWith(echo, {
    name: "all",
    parameters: {
      request: null,
      i: int,
      f: float,
      s: str,
      b: bytes,
      j: json,
      plain: "*",
      n: [int, 10],
      none: ["str"],
    },
  });
  const query = "f=1.5&i=-2&s=%C3%A9&b=%FF&j=[1]&plain=7&extra=x";
  assert.equal(call(registry, "all", { query }), [
    -2,
    1.5,
    "é",
    new Uint8Array([255]),
    [1],
    "7",
    10,
    undefined,
  ]);
});

test("accepts request at any position, or none", () => {
  const first = registryWith(echo, { name: "e", parameters: { a: int } });
  assert.equal(call(first, "e", { query: "a=1" }), [1]);
  const swapped = registryWith((a: int, request: PluginRequest) => [a, request.path], {
    name: "e",
    parameters: { a: int, request: true },
  });
  assert.equal(call(swapped, "e", { query: "a=1" }), [1, "/svc/plugin/test?a=1"]);
});

test("rejects invalid input as a client error", () => {
  const registry = registryWith(echo, { name: "e", parameters: { a: int } });
  for (const [query, text] of [
    ["", "missing required argument: 'a'"],
    ["a=x", "a=x (an integer is required)"],
    ["a", "a (an integer is required)"],
    ["a=1&other=%zz", "bad request parameter"],
  ]) {
    assert.throws(
      () => call(registry, "e", { query: query! }),
      (error: Error) => error.name === "ParameterError" && error.message === text,
    );
  }
});

test("passes reserved arguments in their declared types", () => {
  const parts = {
    method: "POST",
    headerBlock: "A: 1\r\n",
    body: '{"x":1}',
    query: "method=x&headers=y&content=z",
  } as const;
  const forms: [object, unknown[]][] = [
    [{ method: null, content: json }, ["POST", { x: 1 }]],
    [{ content: str, headers: str }, ['{"x":1}', "A: 1\r\n"]],
    [{ content: "bytes" }, [Uint8Array.from(Buffer.from('{"x":1}'))]],
    [{ headers: "*" }, [Uint8Array.from(Buffer.from("A: 1\r\n"))]],
    [
      { headers: "list" },
      [
        [
          ["a", "1"],
          ["X-Svc-Builtin-Client", "http://127.0.0.1:50000/"],
        ],
      ],
    ],
  ];
  for (const [parameters, expected] of forms) {
    const registry = registryWith(echo, { name: "e", parameters: { request: 0, ...parameters } });
    assert.equal(call(registry, "e", parts), expected);
  }
  const dict = registryWith(echo, { name: "e", parameters: { headers: "dict" } });
  assert.is((call(dict, "e", parts) as { a: string }[])[0]!.a, "1");
});

test("passes a bound graph", () => {
  const registry = registryWith(echo, {
    name: "g",
    graph: { name: "cities" },
    parameters: { request: 0, graph: 0, n: int },
  });
  setGraphBinder((name) => ({ graph: { opened: name }, release() {} }));
  try {
    assert.equal(call(registry, "g", { query: "n=1" }), [{ opened: "cities" }, 1]);
  } finally {
    setGraphBinder(null);
  }
  assert.throws(() => call(registry, "g", { query: "n=1" }), /no graphs in this thread/);
  assert.is(registry.describe()[0]!.bound_graph, "cities");
});

test("treats graph as a plain parameter without a binding", () => {
  const registry = registryWith(echo, { name: "g", parameters: { graph: str } });
  assert.equal(call(registry, "g", { query: "graph=a" }), ["a"]);
});

test("accepts the positional arguments of the interface", () => {
  const parameters = { request: 0 };
  const engine = plugin({ parameters }, (request: PluginRequest) => request.path);
  const pre = plugin.pre({ parameters }, (request: PluginRequest) => request);
  const post = (response: unknown) => response;
  assert.ok(registryWith(engine, "a").get("a"));
  assert.ok(registryWith(null, "b", null, engine).get("b"));
  const both = registryWith(null, "c", null, null, pre, post);
  assert.ok(both.get("c", "pre") && both.get("c", "post"));
  assert.ok(registryWith(pre, "d").get("d", "pre"));
});

test("describes a plugin from its options", () => {
  const registry = registryWith(echo, {
    name: "d",
    description: "Does it.",
    parameters: { request: 0, n: [int, 1], s: "*", method: 0, headers: "dict", content: json },
  });
  assert.equal(registry.describe("d"), [
    {
      path: "/svc/plugin/d",
      description: "Does it.",
      parameters: {
        request: "PluginRequest",
        n: "int",
        s: "*",
        method: "str",
        headers: "dict",
        content: "json",
      },
      bound_graph: null,
    },
  ]);
  assert.equal(registry.describe("x"), []);
});

test("rejects invalid combinations with the reason", () => {
  const post = (response: unknown) => response;
  fails(
    [echo, { engine: echo }],
    "ValueError",
    "'plugin' is an alias for 'engine', cannot use both",
  );
  fails(
    [echo, { name: "x", pre: echo }],
    "ValueError",
    "'pre'/'post' cannot be combined with 'plugin'",
  );
  fails(
    [null, { name: "x", engine: echo, post }],
    "ValueError",
    "'pre'/'post' cannot be combined with 'plugin'",
  );
  fails([], "ValueError", "At least one of 'plugin', 'pre' or 'post' is required");
  fails(
    [null, { name: "x" }],
    "ValueError",
    "At least one of 'plugin', 'pre' or 'post' is required",
  );
  fails([null, { post }], "ValueError", "'name' is required with 'pre'/'post'");
  fails([5], "TypeError", "plugin must be a function, not number");
  fails([{}, { name: "x" }], "TypeError", "plugin must be a function, not Object");
});

test("validates names", () => {
  const parameters = { request: 0 };
  const start = "invalid plugin name (must start with [a-zA-Z_])";
  for (const name of ["1a", "é", " a", "/x"]) {
    fails([echo, { name, parameters }], "ValueError", start);
  }
  fails([() => 1, { parameters }], "ValueError", start);
  for (const name of ["a-b", "a b", "aé", "a/../b", "a\n"]) {
    fails(
      [echo, { name, parameters }],
      "ValueError",
      "invalid plugin name (must contain only [a-zA-Z0-9_])",
    );
  }
  fails(
    [echo, { name: "a".repeat(256), parameters }],
    "ValueError",
    "invalid plugin name (must not be longer than 255 characters)",
  );
  fails([echo, { name: 5, parameters }], "TypeError", "plugin name must be str, not number");
  registryWith(echo, { name: "a".repeat(255), parameters });
});

test("accepts strings or nothing as descriptions", () => {
  const parameters = { request: null };
  const described = (description: unknown) => ({ name: "a", parameters, description }) as object;
  fails([echo, described(5)], "TypeError", "description must be str, not number");
  fails(
    [null, { ...described(5), post: echo }],
    "TypeError",
    "description must be str, not number",
  );
  for (const nullish of [undefined, null]) {
    const registry = registryWith(echo, described(nullish));
    assert.is(registry.describe()[0]!.description, "plugin");
    const { plugins } = parseShared(registry.argspec()) as Argspec;
    assert.equal([plugins[0]!.summary, plugins[0]!.description], ["", ""]);
  }
});

test("requires no parameters for a function of request and graph only", () => {
  const registry = registryWith((request: PluginRequest) => request.get("q"), "simple");
  assert.is(call(registry, "simple", { query: "q=5" }), "5");
  addPlugin(registry, (_request: PluginRequest, graph: unknown) => graph, "bound", "goods");
  assert.equal(registry.get("bound")!.description.parameters, {
    request: "PluginRequest",
    graph: "Graph",
  });
});

test("rejects arguments without a parameter", () => {
  const two = (request: PluginRequest, a: unknown): unknown[] => [request, a];
  assert.throws(() => registryWith(two, { name: "x" }), /the parameters of 'x' are unknown/);
  assert.throws(() => registryWith(two, "x"), /the parameters of 'x' are unknown/);
  fails(
    [two, { name: "x", parameters: {} }],
    "TypeError",
    "'parameters' describes 1 of the function's 2 arguments",
  );
  for (const graph of [null, "goods"]) {
    const needed = graph === null ? "'request'" : "'request' and 'graph'";
    fails(
      [() => 1, { name: "x", graph }],
      "TypeError",
      `plugin function signature incomplete: ${needed} required`,
    );
  }
});

test("validates signatures", () => {
  const name = "x";
  fails(
    [() => 1, { name, parameters: {} }],
    "TypeError",
    "plugin function signature incomplete: 'request' required",
  );
  fails(
    [echo, { name, graph: "g", parameters: { request: 0 } }],
    "TypeError",
    "plugin function signature incomplete: 'request' and 'graph' required",
  );
  fails(
    [null, { name, pre: () => 1, parameters: {} }],
    "TypeError",
    "pre-processor function signature incomplete: 'request' required",
  );
  fails(
    [null, { name, post: () => 1 }],
    "TypeError",
    "post-processor function signature incomplete: 'response' required",
  );
  fails(
    [echo, { name, parameters: { request: [0, 1] } }],
    "TypeError",
    "default value not allowed for parameter 'request'",
  );
  fails(
    [echo, { name, parameters: { headers: ["str", ""] } }],
    "TypeError",
    "default value not allowed for parameter 'headers'",
  );
  fails(
    [echo, { name, parameters: { headers: int } }],
    "TypeError",
    "Plugin error: invalid annotation 'int' for 'headers' parameter",
  );
  fails(
    [echo, { name, parameters: { a: Number } }],
    "TypeError",
    "invalid type of parameter 'a': int, float, str, bytes or json required",
  );
  for (const [type, value] of [
    [int, 1.5],
    [int, "1"],
    [float, "1"],
    [str, 1],
    [bytes, "x"],
  ] as const) {
    assert.throws(
      () => registryWith(echo, { name, parameters: { a: [type, value] } }),
      /default parameter value incompatible with annotation/,
    );
  }
  for (const argument of ["a-b", "$a", "1a", "", "é"]) {
    assert.throws(
      () => registryWith(echo, { name, parameters: { request: null, [argument]: int } }),
      /invalid parameter name/,
    );
  }
});

test("uses the options of marked functions", () => {
  const marked = plugin(
    { name: "twice", readonly: true, parameters: { n: [int, 1] } },
    (_request: PluginRequest, n: int) => 2 * n,
  );
  const registry = registryWith(marked);
  assert.is(call(registry, "twice", { query: "n=4" }), 8);
  assert.is(call(registry, "twice"), 2);
  assert.is(registry.get("twice")!.readonly, true);
  const renamed = registryWith(marked, { name: "other" });
  assert.is(call(renamed, "other"), 2);
});

test("separates processors of a dispatcher from engines", () => {
  const registry = registryWith(null, {
    name: "both",
    pre: echo,
    post: (response: unknown) => response,
    parameters: { n: int },
  });
  assert.is(registry.get("both"), undefined);
  assert.is(registry.get("both", "pre")!.role, "pre");
  assert.is(registry.get("both", "post")!.invoke(1 as never, requestSource()), 1);
  assert.equal(registry.describe(), [
    {
      path: "/svc/plugin/both",
      description: "plugin",
      parameters: { request: "PluginRequest", n: "int" },
      bound_graph: null,
    },
  ]);
  assert.equal(registry.table().routes, { "/svc/plugin/both": { pre: 0, post: 1 } });
});

test.run();
