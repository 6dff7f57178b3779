// New API keys in a file.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addApiKey } from "../../../../runtime/http/auth/add-api-key.js";
import { apiKeys } from "../../../../runtime/http/auth/api-keys.js";
import { bearer } from "../../../support/bearer-head.js";

const test = suite("addApiKey");
const folder = mkdtempSync(join(tmpdir(), "svc-add-key-"));
test.after(() => rmSync(folder, { recursive: true }));

test("adds entries that apiKeys admits, and does not store the keys", async () => {
  const file = join(folder, "keys.json");
  const first = addApiKey(file, { name: "reader" });
  const second = addApiKey(file, { scopes: ["a"] });
  assert.is.not(first, second);
  assert.ok(first.length >= 43);
  const text = readFileSync(file, "utf8");
  assert.not.match(text, first);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const handler = apiKeys({ file: "keys.json" });
  await handler.open?.(folder);
  assert.equal(await handler(bearer(first)), { name: "reader" });
  assert.equal(await handler(bearer(second)), { scopes: ["a"] });
  handler.close?.();
  assert.equal(readdirSync(folder), ["keys.json"]);
});

test("does not modify a file that is not a list of keys", () => {
  const file = join(folder, "wrong.json");
  for (const text of ["{}", "no JSON"]) {
    writeFileSync(file, text);
    try {
      addApiKey(file, {});
      assert.unreachable();
    } catch (error) {
      assert.is((error as { code: string }).code, "SVC2209");
    }
    assert.is(readFileSync(file, "utf8"), text);
  }
});

test.run();
