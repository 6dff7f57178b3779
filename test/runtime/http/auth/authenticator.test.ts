// Verdicts on what handlers return, by the handlers of a build.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  writeFileSync(join(project, ".svc/auth.js"), `export const handlers = ${handlers};\n`);
  const authenticator = new Authenticator(project);
  await authenticator.load();
  const exchange = { headers: new HeaderFields(""), principal: null } as never;
  const verdict: HttpRejection | null = await authenticator.check(exchange, scopes);
  return verdict === null ? "admitted" : verdict.status;
}

test("admits objects alone", async () => {
  assert.is(await statusFor('[() => ({ name: "ann" })]'), "admitted");
  assert.is(await statusFor('[async () => ({ name: "ann" })]'), "admitted");
  assert.is(await statusFor("[() => null]"), 401);
  assert.is(await statusFor("[]"), 401);
  for (const other of ["undefined", "true", '"ann"', "1"]) {
    assert.is(await statusFor(`[() => ${other}]`), 503, other);
    assert.is(await statusFor(`[async () => ${other}]`), 503, other);
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
  assert.is(await statusFor('[() => ({ scopes: "read" })]', ["read"]), 403);
});

test.run();
