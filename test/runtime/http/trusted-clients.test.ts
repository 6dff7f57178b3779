// Permission to change graphs, by address, origin and host name.

import { hostname } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { OperatorAuth } from "../../../runtime/http/operator-auth.js";
import { TrustedClients } from "../../../runtime/http/trusted-clients.js";
import type { Ident } from "../../../runtime/plugin/contract/request-source.js";
import { fakeConnection, fakeExchange } from "../builtin/fake-view.js";

const test = suite("trusted clients");

/** The reason why a request from an address is refused, or null. */
function refusal(address: string, headers = "", trusted: readonly string[] = []): string | null {
  const client = `http://${address.includes(":") ? `[${address}]` : address}:40000/`;
  const exchange = {
    ...fakeExchange("/", headers),
    connection: fakeConnection({ client, remoteAddress: address }),
  };
  return new TrustedClients(trusted).refusal(exchange);
}

test("allows loopback programs", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    assert.is(refusal(address), null, address);
  }
});

test("rejects other clients outside trusted networks", () => {
  for (const address of ["10.1.2.3", "192.0.2.1", "128.0.0.1", "2001:db8::1", "::ffff:10.1.2.3"]) {
    assert.match(
      refusal(address) ?? "",
      /may not change graphs; add its network to http\.trusted/,
      address,
    );
  }
  const trusted = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"];
  for (const address of ["10.1.2.3", "192.0.2.1", "2001:db8::1", "127.0.0.1"]) {
    assert.is(refusal(address, "", trusted), null, address);
  }
  for (const address of ["11.1.2.3", "192.0.2.2", "2001:db9::1"]) {
    assert.match(refusal(address, "", trusted) ?? "", /may not change graphs/, address);
  }
});

test("trusts a dispatcher by its network alone, with any host name", () => {
  const isTrusted = (remoteAddress: string, ident: Ident | null, host: string) => {
    const connection = fakeConnection({ remoteAddress, ident });
    const exchange = { ...fakeExchange("/", `Host: ${host}\r\n`), connection };
    return new TrustedClients(["10.0.0.0/8"]).isTrusted(exchange);
  };
  const ident: Ident = [1, 1, 1, 0, 0, 0, 1];
  assert.ok(isTrusted("10.1.2.3", ident, "engine-7:9000"));
  assert.not.ok(isTrusted("10.1.2.3", null, "engine-7:9000"));
  assert.ok(isTrusted("10.1.2.3", null, "10.1.2.4:9000"));
  assert.not.ok(isTrusted("192.168.1.1", ident, "192.168.1.2"), "a parent, but not trusted");
});

test("accepts names of the server only on the admin port", () => {
  const trusted = new TrustedClients([], [], ["b1.example", ".ops.example"]);
  const operators = new OperatorAuth(trusted, null);
  const isOperator = (host: string) => operators.refusal(named(host)) === null;
  assert.ok(trusted.isTrusted(named("b1.example")));
  for (const name of ["b1.example", "B1.Example:9001", "a.ops.example:80", "localhost"]) {
    assert.ok(isOperator(name), name);
  }
  for (const name of ["b1.example.evil.test", "x.b1.example", "ops.example", "0.0.0.0"]) {
    assert.not.ok(isOperator(name), name);
  }
  // A proxy on this machine may hide the clients that call the main port by a public name.
  assert.not.ok(new TrustedClients([]).isTrusted(named("b1.example")));
});

function named(host: string) {
  return fakeExchange("/", `Host: ${host}\r\n`);
}

test("does not trust a proxy on this machine that http.proxies does not list", () => {
  for (const line of ["X-Forwarded-For: 127.0.0.1\r\n", "Forwarded: for=192.0.2.1\r\n"]) {
    assert.match(refusal("127.0.0.1", line) ?? "", /a proxy that http\.proxies does not list/);
    assert.match(refusal("10.0.0.1", line, ["10.0.0.0/8"]) ?? "", /http\.proxies does not list/);
  }
});

test("trusts a client by the address that a proxy names", () => {
  const trusted = new TrustedClients(["10.0.0.0/8"], ["127.0.0.1"]);
  const reason = (forwardedFor: string) =>
    trusted.refusal({ ...fakeExchange("/", "X-Forwarded-For: x\r\n"), forwardedFor });
  for (const address of ["10.1.2.3", "127.0.0.1"]) assert.is(reason(address), null, address);
  for (const address of ["192.0.2.1", "unknown"]) {
    assert.match(reason(address) ?? "", /may not change graphs; add its network to http\.trusted/);
  }
});

test("rejects cross-origin pages", () => {
  const host = "Host: 127.0.0.1:9000\r\n";
  for (const origin of ["http://evil.example", "http://127.0.0.1:9001", "null", "x"]) {
    const headers = `${host}Origin: ${origin}\r\n`;
    assert.match(refusal("127.0.0.1", headers) ?? "", /cross-origin/, origin);
    assert.match(refusal("127.0.0.1", headers, ["127.0.0.1"]) ?? "", /cross-origin/, origin);
  }
  for (const site of ["cross-site", "same-site"]) {
    assert.match(refusal("127.0.0.1", `${host}Sec-Fetch-Site: ${site}\r\n`) ?? "", /cross-origin/);
  }
  for (const header of ["Origin: http://127.0.0.1:9000", "Sec-Fetch-Site: same-origin"]) {
    assert.is(refusal("127.0.0.1", `${host}${header}\r\n`), null, header);
  }
});

test("rejects foreign host names that resolve to this server", () => {
  for (const name of ["127.0.0.1:9000", "[::1]:9000", "localhost", "LocalHost:1", hostname()]) {
    assert.is(refusal("127.0.0.1", `Host: ${name}\r\n`), null, name);
  }
  for (const name of ["evil.example:9000", "localhost.evil.example", "a b"]) {
    assert.match(refusal("127.0.0.1", `Host: ${name}\r\n`) ?? "", /".+" is not a name of/, name);
    assert.match(
      refusal("10.1.2.3", `Host: ${name}\r\n`, ["10.0.0.0/8"]) ?? "",
      /is not a name of this server; use its address/,
    );
  }
});

test("rejects the unspecified address as a host name", () => {
  for (const name of ["0.0.0.0:9000", "0", "0x0:9000", "[::]:9000", "[::ffff:0.0.0.0]"]) {
    assert.match(refusal("127.0.0.1", `Host: ${name}\r\n`) ?? "", /".+" is not a name of/, name);
  }
});

test("ignores the zone of link-local addresses", () => {
  assert.match(refusal("fe80::1%eth0") ?? "", /^fe80::1%eth0 may not change graphs/);
  assert.is(refusal("fe80::1%eth0", "", ["fe80::/10"]), null);
  assert.match(refusal("") ?? "", /may not change graphs/);
});

test("requires a header field for changes that pages cannot send", () => {
  const trusted = new TrustedClients([]);
  const change = (headers: string) => trusted.changeRefusal(fakeExchange("/", headers));
  const types = ["application/json", "Application/JSON; charset=utf-8"];
  for (const header of ["X-SVC-Change: 1", ...types.map((type) => `Content-Type: ${type}`)]) {
    assert.is(change(`${header}\r\n`), null, header);
  }
  const simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  const others = [...simple, "text/plain;application/json", "application/jsonx"];
  for (const header of ["X-SVC-Change:", ...others.map((type) => `Content-Type: ${type}`)]) {
    assert.match(change(`${header}\r\n`) ?? "", /^403 Forbidden: .*curl -X POST -H/, header);
  }
});

test("rejects invalid CIDR networks", () => {
  for (const network of [
    "",
    "x",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0/8",
    "::1/129",
    "10.0.0.0/a",
  ]) {
    assert.throws(
      () => new TrustedClients([network]),
      (error: unknown) => error instanceof SvcError && error.code === "SVC2205",
      network,
    );
  }
});

test.run();
