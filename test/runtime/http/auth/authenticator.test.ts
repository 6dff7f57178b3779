// Decisions about the values that authentication handlers of a build return.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Authenticator } from "../../../../runtime/http/auth/authenticator.js";
import { HeaderFields } from "../../../../runtime/http/header-fields.js";
import type { HttpRejection } from "../../../../runtime/http/rejections.js";

const test = suite("authenticator");
const folder = mkdtempSync(join(tmpdir(), "svc-authenticator-"));
test.after(() => rmSync(folder, { recursive: true }));

async function statusFor(handlers: string, scopes: string[] = []): Promise<number | "admitted"> {
  const project = mkdtempSync(join(folder, "project-"));
  mkdirSync(join(project, ".svc"));
  writeFileSync(join(project, ".svc/auth.js"), `export const exported = ${handlers};\n`);
  const authenticator = new Authenticator(project);
  await authenticator.load();
  const exchange = { headers: new HeaderFields(""), principal: null } as never;
  const verdict: HttpRejection | null = await authenticator.check(exchange, scopes);
  return verdict === null ? "admitted" : verdict.status;
}

test("admits only objects", async () => {
  assert.is(await statusFor('[() => ({ name: "ann" })]'), "admitted");
  assert.is(await statusFor('[async () => ({ name: "ann" })]'), "admitted");
  assert.is(await statusFor("[() => null]"), 401);
  assert.is(await statusFor("[]"), 401);
  for (const result of ["undefined", "true", '"ann"', "1"]) {
    assert.is(await statusFor(`[() => ${result}]`), 503, result);
    assert.is(await statusFor(`[async () => ${result}]`), 503, result);
  }
});

test("waits for promises of libraries", async () => {
  const promised = (value: string) => `[() => ({ then: (done) => done(${value}) })]`;
  assert.is(await statusFor(promised("null")), 401);
  assert.is(await statusFor(promised("undefined")), 503);
  assert.is(await statusFor(promised('{ name: "ann" }')), "admitted");
});

test("requires every scope", async () => {
  const reader = '[() => ({ scopes: ["read"] })]';
  assert.is(await statusFor(reader, ["read"]), "admitted");
  assert.is(await statusFor(reader, ["read", "write"]), 403);
  for (const scopes of [
    ...['"read"', '["READ"]', '["read "]', '["read\\0"]', '["r\u0435ad"]', '["re\u200bad"]'],
    ...['[["read"]]', '{ 0: "read", length: 1 }', '["read write"]', "null"],
  ]) {
    assert.is(await statusFor(`[() => ({ scopes: ${scopes} })]`, ["read"]), 403, scopes);
  }
});

test("ignores prototypes in claims", async () => {
  const { load, check } = reloadable();
  const claims = '{"sub":"ann","__proto__":{"scopes":["admin"]},"a":{"__proto__":{"b":1},"c":2}}';
  for (const freeze of ["", "Object.freeze"]) {
    await load(`[() => ${freeze}(JSON.parse(${JSON.stringify(claims)}))]`);
    assert.is(await check(), '{"sub":"ann","a":{"c":2}}');
    assert.is(await check(["admin"]), 403);
  }
});

test("names the principal of a request that lacks a scope", async () => {
  const project = mkdtempSync(join(folder, "project-"));
  mkdirSync(join(project, ".svc"));
  writeFileSync(
    join(project, ".svc/auth.js"),
    'export const exported = [() => ({ id: "ann" })];\n',
  );
  const authenticator = new Authenticator(project);
  await authenticator.load();
  const exchange = { headers: new HeaderFields(""), principal: null };
  const verdict = await authenticator.check(exchange as never, ["write"]);
  assert.is(verdict?.status, 403);
  assert.is(exchange.principal, '{"id":"ann"}');
});

/** An authenticator of a folder, and a function that writes and loads its handlers. */
function reloadable() {
  const project = mkdtempSync(join(folder, "project-"));
  mkdirSync(join(project, ".svc"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const authenticator = new Authenticator(project);
  const load = (handlers: string): Promise<void> => {
    writeFileSync(join(project, ".svc/auth.js"), `export const exported = ${handlers};\n`);
    return authenticator.load();
  };
  const check = async (scopes: string[] = []): Promise<string | number | null> => {
    const exchange = { headers: new HeaderFields(""), principal: null };
    const verdict = await authenticator.check(exchange as never, scopes);
    return verdict === null ? exchange.principal : verdict.status;
  };
  return { load, check };
}

test("responds with 503 when handlers do not settle within 5 seconds together", async () => {
  const { load, check } = reloadable();
  await load("[() => new Promise(() => {}), () => ({ name: 'never asked' })]");
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let outcome: string | number | null = "pending";
    const checked = check().then((value) => {
      outcome = value;
    });
    mock.timers.tick(4999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(outcome, "pending");
    mock.timers.tick(1);
    await checked;
    assert.is(outcome, 503);
  } finally {
    mock.timers.reset();
  }
});

test("loads the handlers of a new build, and keeps the previous one if it fails", async () => {
  const { load, check } = reloadable();
  const counts = { open: 0, close: 0 };
  (globalThis as { counts?: object }).counts = counts;
  const handler = (name: string): string => `[Object.assign(() => ({ name: "${name}" }), {
    open() { globalThis.counts.open++; }, close() { globalThis.counts.close++; } })]`;
  await load(handler("first"));
  assert.is(await check(), '{"name":"first"}');
  const pending = check();
  await load(handler("second"));
  assert.is(await pending, '{"name":"first"}');
  assert.is(await check(), '{"name":"second"}');
  assert.equal(counts, { open: 2, close: 1 });
  for (const broken of ["[1]", "[() => null"]) {
    let code = "";
    await load(broken).catch((error) => {
      code = error.code;
    });
    assert.is(code, "SVC2208");
    assert.is(await check(), '{"name":"second"}');
  }
  assert.equal(counts, { open: 2, close: 1 });
});

test.run();
