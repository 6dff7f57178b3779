// API keys: the file, its errors, and reloading.
// takes 6 s

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enableRecentLog, recentLogEntries } from "../../../../runtime/base/recent-log.js";
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

for (const [label, value] of [
  ["an object", {}],
  ["an entry without digest", [{ name: "x" }]],
  ["a short digest", [{ sha256: "ab" }]],
  ["scopes that are no list", [{ sha256: sha256("a"), scopes: "x" }]],
] as const) {
  test(`rejects ${label}`, async () => {
    write("wrong.json", value);
    try {
      await apiKeys({ file: "wrong.json" }).open?.(folder);
    } catch (error) {
      return assert.is((error as { code: string }).code, "SVC2209");
    }
    assert.unreachable();
  });
}

/** Waits until the log has an error about the keys. */
async function untilLogged(reason: string): Promise<string> {
  for (;;) {
    const { lines } = recentLogEntries(0);
    const line = lines.find(({ text }) => text.includes(`keys not reloaded: ${reason}`));
    if (line !== undefined) return line.text;
    await delay(20);
  }
}

test("keeps its keys while the file is invalid, and reloads it once it is valid", async () => {
  enableRecentLog();
  const file = join(folder, "d.json");
  const valid = JSON.stringify([{ sha256: sha256("old") }]);
  writeFileSync(file, valid);
  const handler = apiKeys({ file: "d.json" });
  await handler.open?.(folder);
  const head = bearer("old");
  const states: readonly [state: () => void, reason: string][] = [
    [() => writeFileSync(file, valid.slice(0, -9)), `${file}: not JSON`],
    [() => rmSync(file), `${file}: ENOENT`],
    [() => mkdirSync(file), `${file}: EISDIR`],
    [
      () => {
        rmSync(file, { recursive: true });
        write("d.json", [{ sha256: "s".repeat(2 ** 20), name: "n".repeat(2 ** 20) }]);
      },
      `${file}: entry 1: expected`,
    ],
  ];
  for (const [change, reason] of states) {
    change();
    assert.ok((await untilLogged(reason)).length < 300, reason);
    for (const request of [head, bearer("old")]) assert.equal(await handler(request), {}, reason);
    assert.is(await handler(bearer("new")), null);
  }
  write("d.json", [{ sha256: sha256("new"), name: "n".repeat(2 ** 20) }]);
  while ((await handler(bearer("new"))) === null) await delay(20);
  assert.is(await handler(head), null);
  handler.close?.();
});

test.run();
