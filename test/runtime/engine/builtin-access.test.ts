// Dispatchers and `http.builtins`.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BuiltinAccess } from "../../../runtime/engine/builtin-access.js";
import type { Resource } from "../../../runtime/engine/route-table.js";
import type { Exchange } from "../../../runtime/http/transport.js";
import { TrustedClients } from "../../../runtime/http/trusted-clients.js";
import { NO_SCOPES } from "../../../runtime/settings/scope-rules.js";
import { fakeExchange } from "../builtin/fake-view.js";

const test = suite("access to built-in services");
const SERVICE = { kind: "service" } as Resource;
const ORIGIN = { principal: null, client: "192.0.2.1", isTrusted: false, isGuarded: true };
const IDENT = [1, 1, 1, 0, 0, 0, 1];

function refusal(builtins: "trusted" | "admin", address: string, parts: Partial<Exchange>) {
  const settings = { builtins, builtinScopes: NO_SCOPES, graphs: {} };
  const access = new BuiltinAccess(settings as never, new TrustedClients(["10.0.0.0/8"]));
  const exchange = { ...fakeExchange("/svc/status"), ...parts };
  const ident = parts.signedOrigin !== undefined || address !== "10.0.0.9" ? IDENT : null;
  const connection = { ...exchange.connection, remoteAddress: address, ident };
  return access.refusal({ ...exchange, connection } as never, "/svc/status", SERVICE);
}

test("is given to dispatchers that are trusted or share the key", () => {
  for (const builtins of ["trusted", "admin"] as const) {
    assert.is(refusal(builtins, "10.0.0.1", {}), null);
    assert.is(refusal(builtins, "192.168.0.1", { signedOrigin: ORIGIN }), null);
  }
});

test("is denied to other clients that introduce themselves as dispatchers", () => {
  for (const builtins of ["trusted", "admin"] as const) {
    assert.match(refusal(builtins, "192.168.0.1", {}) ?? "", /^403 Forbidden/);
  }
  assert.match(refusal("admin", "10.0.0.9", {}) ?? "", /^403 Forbidden/);
});

test.run();
