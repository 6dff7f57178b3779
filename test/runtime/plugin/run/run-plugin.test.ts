// Any return value or exception of a plugin yields exactly one result of the right kind.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParameterError, ResponseError } from "../../../../runtime/base/errors.js";
import {
  RESULT_ERROR,
  RESULT_HTTP,
  RESULT_PARTIAL,
  RESULT_TEXT,
  RESULT_VALUE,
} from "../../../../runtime/base/wire/batch.js";
import type { Invoke, PluginEntry } from "../../../../runtime/plugin/contract/plugin-entry.js";
import type { RequestSource } from "../../../../runtime/plugin/contract/request-source.js";
import { showStackTraces } from "../../../../runtime/plugin/contract/stack-trace.js";
import { PluginRequest } from "../../../../runtime/plugin/request/plugin-request.js";
import { missing } from "../../../../runtime/plugin/request/query-values.js";
import { HttpError as OwnHttpError } from "../../../../runtime/plugin/response/http-error.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";
import { requireBoundGraph, setGraphBinder } from "../../../../runtime/plugin/run/graph-binding.js";
import { runPlugin } from "../../../../runtime/plugin/run/run-plugin.js";
import { requestSource } from "../../../support/request-source.js";

const test = suite("run plugin");

type Result = readonly [status: number, kind: number, payload: string | Uint8Array];

function makeEntry(invoke: Invoke): PluginEntry {
  return {
    name: "test",
    role: "engine",
    graph: null,
    readonly: false,
    readers: {},
    description: { path: "/svc/plugin/test", description: "", parameters: {}, bound_graph: null },
    invoke,
  };
}

/** All results of a call, including late and duplicate ones. */
async function results(invoke: Invoke, parts?: Partial<RequestSource>): Promise<Result[]> {
  const collected: Result[] = [];
  runPlugin(makeEntry(invoke), requestSource(parts), (...result) => collected.push(result));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return collected;
}

async function runForResult(invoke: Invoke, parts?: Partial<RequestSource>): Promise<Result> {
  const outcomes = await results(invoke, parts);
  assert.is(outcomes.length, 1, "exactly one result");
  return outcomes[0]!;
}

/** Status and decoded `message`. */
async function runForError(invoke: Invoke): Promise<[number, Record<string, unknown>]> {
  const [status, kind, payload] = await runForResult(invoke);
  assert.is(kind, RESULT_ERROR);
  return [status, JSON.parse(payload as string)];
}

/** Message for an exception of plugin code. */
async function thrown(value: unknown): Promise<Record<string, unknown>> {
  const throwing = await runForError(() => {
    throw value;
  });
  const rejecting = await runForError(() => Promise.reject(value));
  assert.is(throwing[0], 500);
  const detail = throwing[1].plugin as Record<string, unknown>;
  assert.equal(
    { ...(rejecting[1].plugin as object), traceback: 0 },
    { ...detail, traceback: 0 },
    "sync and async alike",
  );
  assert.ok(Array.isArray(detail.traceback));
  return detail;
}

test("renders results as JSON once, in UTF-8", async () => {
  assert.equal(await runForResult(() => ({ a: "é" })), [200, RESULT_VALUE, '{"a":"\xc3\xa9"}']);
  assert.equal(await runForResult(() => undefined), [200, RESULT_VALUE, "null"]);
  assert.equal(await runForResult(async () => [1]), [200, RESULT_VALUE, "[1]"]);
});

test("completes synchronous functions before it returns", () => {
  let status = 0;
  runPlugin(
    makeEntry(() => 1),
    requestSource(),
    (value) => {
      status = value;
    },
  );
  assert.is(status, 200);
});

test("passes the request and its source", async () => {
  const source = requestSource({ query: "a=1" });
  let receivedArguments: unknown[] = [];
  runPlugin(
    makeEntry((...args) => {
      receivedArguments = args;
    }),
    source,
    () => {},
  );
  assert.instance(receivedArguments[0], PluginRequest);
  assert.is(receivedArguments[1], source);
});

test("renders plain text as the string itself, or the inspected value in full", async () => {
  const text = { accept: "text" } as const;
  assert.equal(await runForResult(() => "é\n", text), [200, RESULT_TEXT, "\xc3\xa9\n"]);
  assert.equal(await runForResult(() => ({ a: [1, "b"] }), text), [
    200,
    RESULT_TEXT,
    "{ a: [ 1, 'b' ] }",
  ]);
  const [, , long] = await runForResult(
    () => Array.from({ length: 500 }, (_, i) => [[[[i]]]]),
    text,
  );
  assert.match(long as string, /\[ \[ \[ 499 \] \] \]/);
  assert.not.match(long as string, /more item|\n/);
  const [, , bytes] = await runForResult(() => [Buffer.alloc(500, 1)], text);
  assert.is((bytes as string).match(/01/g)!.length, 500);
});

test("serializes a response for a dispatcher only", async () => {
  const partial = { accept: "partial" } as const;
  const [status, kind, payload] = await runForResult(() => {
    const response = new PluginResponse();
    response.append("k", 1);
    return response;
  }, partial);
  assert.equal([status, kind], [200, RESULT_PARTIAL]);
  assert.equal(PluginResponse.deserialize(payload as Uint8Array).entries, [["k", 1]]);
  assert.equal(await runForResult(() => [], partial), [
    500,
    RESULT_ERROR,
    '{"svc":{"exception":"<class \'TypeError\'>",' +
      '"value":"plugin must return PluginResponse, not Array"}}',
  ]);
});

test("names the remedy for a response of another copy of the package", async () => {
  const foreignModule = { PluginResponse: class PluginResponse {} };
  const [, , text] = await runForResult(() => new foreignModule.PluginResponse(), {
    accept: "partial",
  });
  const remedy = " of another svc-server; find its copies with `npm ls svc-server`";
  assert.match(String(text), `not PluginResponse${remedy}"`);
});

test("does not stream to a dispatcher that merges", async () => {
  async function* ticks(): AsyncGenerator<number> {
    yield 1;
  }
  assert.equal(await runForResult(() => ticks(), { accept: "partial" }), [
    400,
    RESULT_ERROR,
    '"400 Bad Request: a dispatcher cannot stream; call a back-end directly"',
  ]);
});

test("renders a returned response as JSON", async () => {
  const [, , payload] = await runForResult(() => new PluginResponse());
  assert.match(payload as string, /^\{"level":0,"levelparts":1,.*"entries":\[\]\}$/);
});

test("fails for a returned request without a dispatcher", async () => {
  const message =
    "Preprocessor plugin only allowed in dispatcher context (PluginRequest was returned)";
  assert.equal(await runForResult((request) => request), [
    500,
    RESULT_ERROR,
    JSON.stringify(message),
  ]);
  assert.equal(await runForResult((request) => request, { accept: "text" }), [
    500,
    RESULT_TEXT,
    `ERROR: ${message}`,
  ]);
});

test("treats a returned error as a result", async () => {
  assert.equal(await runForResult(() => new RangeError("it is off")), [
    200,
    RESULT_VALUE,
    "\"RangeError('it is off')\"",
  ]);
  assert.equal(await runForResult(() => new RangeError("it's"), { accept: "text" }), [
    200,
    RESULT_TEXT,
    'RangeError("it\'s")',
  ]);
});

test("reports a result that cannot be rendered as a server error", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const cyclic = await runForError(() => cycle);
  assert.is(cyclic[0], 500);
  assert.is((cyclic[1].svc as Record<string, unknown>).exception, "<class 'TypeError'>");
  const throwing = await runForError(() => ({
    toJSON() {
      throw new RangeError("no");
    },
  }));
  assert.equal(throwing, [500, { svc: { exception: "<class 'RangeError'>", value: "no" } }]);
});

test("reports parameters that do not convert as a client error", async () => {
  assert.equal(
    await runForError(() => {
      throw new ParameterError("TypeError", "n=x (an integer is required)");
    }),
    [400, { svc: { exception: "<class 'TypeError'>", value: "n=x (an integer is required)" } }],
  );
  assert.is((await runForError(() => missing("n")))[0], 400);
  const late = await runForError(async () => missing("n"));
  assert.equal([late[0], Object.keys(late[1])], [500, ["plugin"]]);
});

test("releases resources of a request after rendering, before the response", async () => {
  const events: string[] = [];
  setGraphBinder((name) => ({ graph: name, release: () => events.push("released") }));
  const run = (invoke: () => unknown) =>
    new Promise<void>((resolve) => {
      events.length = 0;
      runPlugin(makeEntry(invoke), requestSource({}), () => {
        events.push("done");
        resolve();
      });
    });
  try {
    await run(() => {
      requireBoundGraph("g");
      return { toJSON: () => events.push("rendered") };
    });
    assert.equal(events, ["rendered", "released", "done"]);
    await run(() => {
      requireBoundGraph("g");
      throw new Error("no");
    });
    assert.equal(events, ["released", "done"]);
    await run(async () => {
      requireBoundGraph("g");
      await null;
      events.push("still held");
    });
    await null;
    assert.equal(events, ["still held", "released", "done"]);
    await run(() => 1);
    assert.equal(events, ["done"]);
  } finally {
    setGraphBinder(null);
  }
});

test("responds with 404 to a removed plugin", () => {
  const collected: Result[] = [];
  const source = requestSource({ target: "/prefix/plugin/gone?x=1" });
  runPlugin(undefined, source, (...result) => collected.push(result));
  assert.equal(collected, [
    [
      404,
      RESULT_ERROR,
      '{"svc":{"exception":"<class \'LookupError\'>","value":"undefined plugin: gone"}}',
    ],
  ]);
});

test("reports class, message and frames of errors", async () => {
  class Custom extends Error {}
  const detail = await thrown(new Custom("'quoted'"));
  assert.equal([detail.exception, detail.value], ["<class 'Custom'>", "quoted"]);
  const frames = detail.traceback as string[];
  assert.match(frames[0]!, /^ {4}at .*test\/[\w/]+\/run-plugin\.test\.ts:\d+:\d+\)?\n$/);
  assert.not.ok(frames.some((frame) => /node:|at runPlugin|run-plugin\.ts/.test(frame)));
  const named = Object.assign(new Error("x"), { name: "Named" });
  assert.is((await thrown(named)).exception, "<class 'Named'>");
  assert.is((await thrown(new ResponseError("r"))).exception, "<class 'ResponseError'>");
});

test("reports the causes of errors, unless stack traces are off", async () => {
  const query = new RangeError("no row", { cause: "disk" });
  const error = new Error("cannot load", { cause: query });
  const { cause } = (await thrown(error)) as { cause: Record<string, unknown> };
  assert.equal([cause.exception, cause.value], ["<class 'RangeError'>", "no row"]);
  assert.match((cause.traceback as string[])[0]!, /run-plugin\.test\.ts/);
  assert.equal(cause.cause, { exception: "<class 'string'>", value: "disk", traceback: [] });
  assert.is((await thrown(new Error("x"))).cause, undefined);
  showStackTraces(false);
  assert.is((await thrown(error)).cause, undefined);
  showStackTraces(true);
});

test("ends a cycle of causes", async () => {
  const error = new Error("a");
  error.cause = error;
  let depth = 0;
  type Detail = { readonly cause?: Detail };
  for (let detail = (await thrown(error)) as Detail | undefined; detail; detail = detail.cause)
    depth++;
  assert.is(depth, 5);
});

test("handles exceptions of any type", async () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("get");
      },
      getPrototypeOf() {
        throw new Error("prototype");
      },
    },
  );
  const lying = Object.defineProperty(new Error("x"), "message", {
    get() {
      throw new Error("message");
    },
  });
  const stackless = Object.defineProperty(new Error("x"), "stack", {
    get() {
      throw new Error("stack");
    },
  });
  const cases: [unknown, string, string][] = [
    ["text", "string", "text"],
    [null, "null", "null"],
    [undefined, "undefined", "undefined"],
    [5, "number", "5"],
    [{ a: 1 }, "Object", "{ a: 1 }"],
    [Symbol("s"), "symbol", "Symbol(s)"],
    [Object.create(null), "object", "[Object: null prototype] {}"],
    [lying, "Error", "(value that cannot be shown)"],
    [stackless, "Error", "x"],
  ];
  for (const [value, exception, text] of cases) {
    const detail = await thrown(value);
    assert.equal([detail.exception, detail.value], [`<class '${exception}'>`, text]);
  }
  assert.is((await thrown(hostile)).exception, "<class 'object'>");
});

test("yields one result for hostile thenables", async () => {
  const twice = {
    // biome-ignore lint/suspicious/noThenProperty: what is tested
    then(resolve: (value: unknown) => void, reject: (value: unknown) => void) {
      resolve(1);
      resolve(2);
      reject(3);
      throw new Error("late");
    },
  };
  assert.equal(await results(() => twice), [[200, RESULT_VALUE, "1"]]);
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  const getter = Object.defineProperty({}, "then", {
    get() {
      throw new Error("then");
    },
  });
  assert.is((await results(() => getter)).length, 1);
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  assert.equal(await results(() => ({ then: 1 })), [[200, RESULT_VALUE, '{"then":1}']]);
  assert.equal(await results(() => new Promise(() => {})), []);
});

test("describes errors in plain text", async () => {
  const [status, kind, payload] = await runForResult(
    () => {
      throw new RangeError("off by é");
    },
    { accept: "text" },
  );
  assert.equal([status, kind, payload], [500, RESULT_TEXT, "ERROR: RangeError: off by \xc3\xa9"]);
});

test("recognizes errors and responses of another copy of the package", async () => {
  const folder = "../../../../runtime/plugin/response";
  const { HttpError } = await import(`${folder}/http-error.js?copy`);
  const { HttpResponse } = await import(`${folder}/http-response.js?copy`);
  assert.not.ok(new HttpError(404, "") instanceof OwnHttpError, "it is another copy");
  const [status, message] = await runForError(() => {
    throw new HttpError(404, "no such product", { id: 1 });
  });
  assert.is(status, 404);
  assert.equal((message.plugin as { details: unknown }).details, { id: 1 });
  const [created, kind] = await runForResult(() => new HttpResponse("x", { status: 201 }));
  assert.equal([created, kind], [201, RESULT_HTTP]);
  class NotFound extends HttpError {
    constructor() {
      super(410, "gone");
    }
  }
  const [goneStatus] = await runForError(() => {
    throw new NotFound();
  });
  assert.is(goneStatus, 410);
});

test.run();
