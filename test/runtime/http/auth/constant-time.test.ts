// Secrets are compared in constant time: a comparison that ends early tells how much of a guess is
// right. Results do not show it, so the calls are counted.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminTokens } from "../../../../runtime/builtin/admin/admin-tokens.js";
import { apiKeys } from "../../../../runtime/http/auth/api-keys.js";
import { DispatchSignature } from "../../../../runtime/http/auth/dispatch-signature.js";
import { HeaderFields } from "../../../../runtime/http/header-fields.js";
import { OperatorAuth } from "../../../../runtime/http/operator-auth.js";
import { TrustedClients } from "../../../../runtime/http/trusted-clients.js";
import { bearer } from "../../../support/bearer-head.js";

const test = suite("secrets in constant time");
const crypto = createRequire(import.meta.url)("node:crypto");
const { timingSafeEqual } = crypto;
let comparisons = 0;

test.before(() => {
  crypto.timingSafeEqual = (left: Uint8Array, right: Uint8Array): boolean => {
    comparisons++;
    return timingSafeEqual(left, right);
  };
  syncBuiltinESMExports();
});
test.before.each(() => {
  comparisons = 0;
});
test.after(() => {
  crypto.timingSafeEqual = timingSafeEqual;
  syncBuiltinESMExports();
});

test("compare the admin key", () => {
  const operators = new OperatorAuth(new TrustedClients(["192.0.2.0/24"]), "right-key");
  for (const [key, refusal] of [
    ["right-key", null],
    ["right-kez", "403 Forbidden: missing or wrong key in X-SVC-Admin-Key"],
  ] as const) {
    const connection = { remoteAddress: "192.0.2.7", ident: null };
    const headers = new HeaderFields(`X-SVC-Admin-Key: ${key}\r\n`);
    const exchange = { connection, headers, forwardedFor: null, signedOrigin: null };
    assert.is(operators.refusal(exchange as never), refusal);
  }
  assert.is(comparisons, 2);
});

test("compare the tokens of operations", () => {
  const tokens = new AdminTokens();
  const { authtoken } = tokens.issue("192.0.2.7");
  const wrongToken = authtoken.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  assert.throws(() => tokens.take("192.0.2.7", wrongToken), "Invalid authtoken");
  tokens.take("192.0.2.7", authtoken);
  assert.is(comparisons, 2);
});

test("compare the signatures of dispatchers", () => {
  const request = { method: "GET", target: "/svc/plugin/x", body: null };
  const origin = { principal: null, client: "192.0.2.7", isTrusted: false, isGuarded: true };
  const signature = new DispatchSignature("k".repeat(32));
  const value = signature.sign(request, origin);
  assert.type(signature.verify({ ...request, method: "POST" }, value), "string");
  assert.equal(signature.verify(request, value), origin);
  assert.is(comparisons, 2);
});

test("compare the digests of API keys", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-constant-"));
  const sha256 = createHash("sha256").update("k1").digest("hex");
  writeFileSync(join(folder, "keys.json"), JSON.stringify([{ sha256 }]));
  const handler = apiKeys({ file: "keys.json" });
  await handler.open?.(folder);
  assert.equal(await handler(bearer("k1")), {});
  handler.close?.();
  rmSync(folder, { recursive: true });
  assert.is(comparisons, 1);
});

test.run();
