// Host names of the server, and cross-origin requests that change state.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CrossOriginGuard } from "../../../runtime/http/cross-origin-guard.js";
import { readHeaderFields } from "../../../runtime/http/header-fields.js";
import type { Exchange } from "../../../runtime/http/transport.js";

const test = suite("cross-origin guard");

function isRefused(rules: CrossOriginGuard, method: string, block: string): boolean {
  return (
    rules.refusal({ method, headers: readHeaderFields(block) } as unknown as Exchange) !== null
  );
}

test("rejects unlisted host names when a list is configured", () => {
  const rules = new CrossOriginGuard(null, ["Shop.example", ".shops.example"]);
  for (const host of ["shop.example", "SHOP.example:9000", "a.shops.example", "127.0.0.1:9000"]) {
    assert.not.ok(isRefused(rules, "GET", `Host: ${host}\r\n`), host);
  }
  for (const host of ["localhost", "[::1]:80"]) {
    assert.not.ok(isRefused(rules, "GET", `Host: ${host}\r\n`), host);
  }
  for (const host of ["evil.example", "shops.example", "xshop.example", "0.0.0.0:9000", ""]) {
    assert.ok(isRefused(rules, "GET", `Host: ${host}\r\n`), host);
  }
  assert.not.ok(isRefused(new CrossOriginGuard(null, null), "GET", "Host: evil.example\r\n"));
});

test("rejects a cross-origin POST without http.cors", () => {
  const foreign = "Host: shop.example\r\nOrigin: https://evil.example\r\n";
  const hidden = "Host: shop.example\r\nOrigin: null\r\nSec-Fetch-Site: cross-site\r\n";
  const rules = new CrossOriginGuard(null, null);
  assert.ok(isRefused(rules, "POST", foreign));
  assert.ok(isRefused(rules, "POST", hidden));
  assert.not.ok(isRefused(rules, "GET", foreign));
  assert.not.ok(isRefused(rules, "POST", "Host: shop.example\r\n"));
  assert.not.ok(isRefused(new CrossOriginGuard("*", null), "POST", foreign));
  assert.not.ok(isRefused(new CrossOriginGuard("https://evil.example", null), "POST", foreign));
  assert.ok(isRefused(new CrossOriginGuard("https://good.example", null), "POST", foreign));
});

test.run();
