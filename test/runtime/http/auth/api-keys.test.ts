// API keys: the file, its errors, and reloading.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { apiKeys } from "../../../../runtime/http/auth/api-keys.js";
import { ExchangeHead } from "../../../../runtime/http/auth/exchange-head.js";
import { HeaderFields } from "../../../../runtime/http/header-fields.js";

const test = suite("apiKeys");
const folder = mkdtempSync(join(tmpdir(), "svc-keys-"));
test.after(() => rmSync(folder, { recursive: true }));

const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");
const write = (file: string, value: unknown) =>
  writeFileSync(join(folder, file), JSON.stringify(value));
const headWith = (lines: string) => new ExchangeHead({ headers: new HeaderFields(lines) } as never);
const bearer = (token: string) => headWith(`Authorization: Bearer ${token}\r\n`);

test("returns the entry of a key without its digest", async () => {
  write("a.json", [{ sha256: sha256("k1"), name: "reader", scopes: ["x"] }]);
  const handler = apiKeys({ file: "a.json" });
  await handler.open?.(folder);
  const head = bearer("k1");
  const principal = await handler(head);
  assert.equal(principal, { name: "reader", scopes: ["x"] });
  assert.is(await handler(head), principal);
  assert.is(await handler(bearer("k2")), null);
  assert.is(await handler(headWith("")), null);
  assert.is(await handler(headWith("Authorization: Basic k1\r\n")), null);
  handler.close?.();
});

test("reads the key from a header field of its own", async () => {
  write("b.json", [{ sha256: sha256("k1") }]);
  const handler = apiKeys({ file: "b.json", header: "X-Api-Key" });
  await handler.open?.(folder);
  assert.equal(await handler(headWith("x-api-key: k1\r\n")), {});
  assert.is(await handler(bearer("k1")), null);
  handler.close?.();
});

test("ignores tokens longer than 16 KiB", async () => {
  const long = "k".repeat(16 * 1024 + 1);
  write("c.json", [{ sha256: sha256(long) }, { sha256: sha256(long.slice(1)) }]);
  const handler = apiKeys({ file: "c.json" });
  await handler.open?.(folder);
  assert.is(await handler(bearer(long)), null);
  assert.equal(await handler(bearer(long.slice(1))), {});
  handler.close?.();
});

for (const [why, value] of [
  ["an object", {}],
  ["an entry without digest", [{ name: "x" }]],
  ["a short digest", [{ sha256: "ab" }]],
  ["scopes that are no list", [{ sha256: sha256("a"), scopes: "x" }]],
] as const) {
  test(`rejects ${why}`, () => {
    write("wrong.json", value);
    try {
      void apiKeys({ file: "wrong.json" }).open?.(folder);
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code: string }).code, "SVC2209");
    }
  });
}

test("reloads a changed file, and keeps the keys if it is invalid", async () => {
  write("d.json", [{ sha256: sha256("old") }]);
  const handler = apiKeys({ file: "d.json" });
  await handler.open?.(folder);
  const head = bearer("old");
  assert.equal(await handler(head), {});
  writeFileSync(join(folder, "d.json"), "[ no JSON");
  await delay(1500);
  assert.equal(await handler(head), {});
  write("d.json", [{ sha256: sha256("new") }]);
  while ((await handler(bearer("new"))) === null) await delay(50);
  assert.is(await handler(head), null);
  handler.close?.();
});

test.run();
