// Bodies of failed calls, each converted to the single error class of clients.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { responseError } from "../../../client/typescript/response-error.js";
import { SvcError } from "../../../client/typescript/svc-error.js";
import { backEndError, partialError } from "../../../runtime/dispatch/error-chain.js";

const test = suite("client response errors");
const PATH = "/svc/plugin/find";
const TRACEBACK = ["    at find (plugins/find.ts:7:3)", "    at <anonymous>"];

function envelope(message: unknown) {
  return { status: "ERROR", message, exec_id: 0, level: 0, partitions: null, exec_ms: 0.5 };
}

test("take the origin from an object", () => {
  const kinds = [
    ["svc", 400, "parameter"],
    ["svc", 404, "parameter"],
    ["svc", 500, "result"],
    ["svc", 200, "result"],
    ["plugin", 500, "plugin"],
    ["system", 500, "system"],
  ] as const;
  for (const [key, status, kind] of kinds) {
    const detail = { exception: "<class 'KeyError'>", value: "no such\nkey" };
    const body = envelope({ [key]: detail });
    const error = responseError({ path: PATH }, status, body);
    assert.instance(error, SvcError);
    assert.instance(error, Error);
    assert.is(error.name, "SvcError");
    assert.is(error.kind, kind);
    assert.is(error.message, "/svc/plugin/find: no such\nkey");
    assert.is(error.status, status);
    assert.is(error.exception, "KeyError");
    assert.is(error.traceback, null);
    assert.equal(error.chain, []);
    assert.is(error.envelope, body);
    assert.is(error.cause, undefined);
  }
});

test("include the traceback of a plugin", () => {
  const plugin = { exception: "<class 'E'>", value: "x", traceback: TRACEBACK };
  assert.equal(responseError({ path: PATH }, 500, envelope({ plugin })).traceback, TRACEBACK);
});

test("are HTTP errors for strings", () => {
  const error = responseError({ path: PATH }, 503, envelope("Partition(s) down"));
  assert.is(error.kind, "http");
  assert.is(error.message, "/svc/plugin/find: Partition(s) down");
  assert.is(error.exception, null);
});

test("show the status without an envelope", () => {
  for (const body of ["", "<html>", null, 7, [], {}, ["ERROR"], { status: "OK" }, { message: 1 }]) {
    const error = responseError({ path: PATH }, 502, body);
    assert.is(error.kind, "http");
    assert.is(error.message, "/svc/plugin/find: HTTP status 502");
    assert.equal(error.envelope, body);
  }
  const error = responseError({ path: PATH }, 200, "<html>");
  assert.is(error.message, "/svc/plugin/find: response is not an svc envelope");
});

test("omit members of another type", () => {
  const plugin = { exception: 7, value: ["x"], traceback: ["line", 7, null] };
  const error = responseError({ path: PATH }, 500, envelope({ plugin }));
  assert.is(error.kind, "plugin");
  assert.is(error.message, "/svc/plugin/find: HTTP status 500");
  assert.is(error.exception, null);
  assert.equal(error.traceback, ["line"]);
  assert.is(responseError({ path: PATH }, 500, envelope({ svc: "text" })).message, `${PATH}: text`);
  assert.is(
    responseError({ path: PATH }, 500, envelope({ plugin: { traceback: "x" } })).traceback,
    null,
  );
});

test("omit inherited members", () => {
  const inherited = Object.create({ status: "ERROR", message: { plugin: {} } }) as object;
  assert.is(responseError({ path: PATH }, 500, inherited).kind, "http");
  const named = JSON.parse('{"status":"ERROR","message":{"__proto__":{"plugin":{"value":"x"}}}}');
  assert.is(responseError({ path: PATH }, 500, named).kind, "http");
});

test("have each of three levels, with the innermost error as the cause", () => {
  const value = "it's a \\ path,\nno {'quote'} é";
  const plugin = { exception: "<class 'KeyError'>", value, traceback: TRACEBACK };
  const status = [500, 500, 404];
  const text = status.reduceRight<unknown>(
    (message, code, index) =>
      partialError(
        index,
        3,
        code,
        backEndError(Buffer.from(JSON.stringify(envelope(message)))).text,
      ),
    { plugin },
  );
  const error = responseError({ path: PATH }, 500, envelope(text));
  assert.is(error.kind, "backend");
  assert.is(error.status, 500);
  assert.equal(
    error.chain,
    status.map((code, partition) => ({ partition, width: 3, status: code })),
  );
  assert.is(error.message, `/svc/plugin/find: ${value}`);
  assert.is(error.exception, "KeyError");
  assert.equal(error.traceback, TRACEBACK);
  const cause = error.cause as SvcError;
  assert.instance(cause, SvcError);
  assert.is(cause.kind, "plugin");
  assert.is(cause.status, 404);
  assert.is(cause.exception, "KeyError");
  assert.equal(cause.traceback, TRACEBACK);
  assert.equal(cause.chain, []);
  assert.is(cause.envelope, null);
});

test("are HTTP errors for text below a dispatcher", () => {
  const error = responseError(
    { path: PATH },
    503,
    envelope(partialError(2, 4, 503, "timeout after 300 ms")),
  );
  assert.is(error.kind, "backend");
  assert.equal(error.chain, [{ partition: 2, width: 4, status: 503 }]);
  assert.is(error.message, "/svc/plugin/find: timeout after 300 ms");
  assert.is((error.cause as SvcError).kind, "http");
});

test.run();
