// Clients behind proxies: the choice of the client's address from the header fields.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type HeaderFields, readHeaderFields } from "../../../runtime/http/header-fields.js";
import { Proxies, UNKNOWN_CLIENT } from "../../../runtime/http/proxies.js";

const test = suite("proxies");
const PROXY = "10.0.0.1";
const proxies = new Proxies(["10.0.0.0/8", "127.0.0.1", "2001:db8:1::/48"]);

function forwardedFor(lines: string, peer = PROXY): string | null {
  const block = `Host: a\r\n${lines === "" ? "" : `${lines}\r\n`}`;
  return proxies.forwardedFor(readHeaderFields(block) as HeaderFields, peer);
}

test("takes the rightmost address that is not a proxy", () => {
  const cases: [string, string][] = [
    ["X-Forwarded-For: 192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: 127.0.0.1, 192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: 198.51.100.1,192.0.2.1,10.0.0.7", "192.0.2.1"],
    ["X-Forwarded-For: 198.51.100.1\r\nx-forwarded-for: 192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: 192.0.2.1:4711", "192.0.2.1"],
    ["X-Forwarded-For: ::ffff:192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: 2001:DB8:0::1", "2001:db8::1"],
    ["X-Forwarded-For: [2001:db8::1]:80, 2001:db8:1::7", "2001:db8::1"],
    ["Forwarded: for=192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: ,192.0.2.1", "192.0.2.1"],
    ["X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 10.0.0.7", "192.0.2.1"],
    ['Forwarded: for=198.51.100.1, by=_x;For="[2001:db8::1]:80" ; proto=http', "2001:db8::1"],
    ['Forwarded: for="x, for=192.0.2.1', "192.0.2.1"],
    ['Forwarded: for="198.51.100.1, for=192.0.2.1;host="a"', "192.0.2.1"],
    ['Forwarded: host="a;for=127.0.0.9;b";For="192.0.2.1:80";proto=http', "192.0.2.1"],
    ['Forwarded: host="a\\";for=127.0.0.9;b";for=192.0.2.1', "192.0.2.1"],
    ["X-Forwarded-For: ::ffff:c000:0201", "192.0.2.1"],
    ['Forwarded: for="[0:0:0:0:0:FFFF:192.0.2.1]"', "192.0.2.1"],
    ['Forwarded: for="[fe80::1%25eth0]", for="[2001:db8::1]"', "2001:db8::1"],
  ];
  for (const [lines, expected] of cases) assert.is(forwardedFor(lines), expected, lines);
});

test("takes the leftmost proxy if all addresses are proxies", () => {
  assert.is(forwardedFor("X-Forwarded-For: 10.0.0.9, 10.0.0.7"), "10.0.0.9");
  assert.is(forwardedFor("X-Forwarded-For: 127.0.0.1", "127.0.0.1"), "127.0.0.1");
});

test("ignores the fields of every other peer, and requests without them", () => {
  for (const peer of ["192.0.2.9", "11.0.0.1", "127.0.0.2", "::1"]) {
    assert.is(forwardedFor("X-Forwarded-For: 192.0.2.1", peer), null, peer);
  }
  assert.is(forwardedFor(""), null);
  assert.is(forwardedFor("X-Forwarded-Fox: 192.0.2.1"), null);
});

test("reports no client if no proxy names it", () => {
  const lines = [
    "X-Forwarded-For:",
    "X-Forwarded-For: 192.0.2.1,",
    "X-Forwarded-For: ,10.0.0.3",
    "X-Forwarded-For: ,",
    "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For:",
    "X-Forwarded-For: 192.0.2.1, unknown",
    "X-Forwarded-For: 192.0.2.1, 300.1.1.1, 10.0.0.3",
    "X-Forwarded-For: localhost",
    "Forwarded: for=_hidden",
    "Forwarded: by=192.0.2.1",
    "Forwarded: for=192.0.2.1, xfor=192.0.2.2",
    "Forwarded: for=192.0.2.1;for=127.0.0.9",
    "Forwarded: for =192.0.2.1",
    'Forwarded: for="192.0.2.1',
    'Forwarded: for="\\192.0.2.1"',
    "Forwarded: for=[2001:db8::1",
    `Forwarded: for=192.0.2.1;host=${"a".repeat(500)}`,
    // Proxies quote the `Host` of clients, with its commas.
    'Forwarded: for=192.0.2.1;host="a, for=198.51.100.1; b"',
    'Forwarded: host="a,for=198.51.100.1;b";for=192.0.2.1',
    'Forwarded: for=192.0.2.1;host="a,for=198.51.100.1;b=\\""',
    'Forwarded: by=10.0.0.1;host="a;for=198.51.100.1;b"',
    "X-Forwarded-For: 192.0.2.1;x",
    "X-Forwarded-For: 192.0.2.1:123456",
    "X-Forwarded-For: 127.1",
    "X-Forwarded-For: 192.0.2.01",
    "X-Forwarded-For: \xb9\xb2\xb7.0.0.1",
  ];
  for (const line of lines) assert.is(forwardedFor(line), UNKNOWN_CLIENT, line);
});

test("reports no client if the two fields disagree", () => {
  const field = "X-Forwarded-For: 192.0.2.1\r\n";
  const forwarded = "Forwarded: for=198.51.100.1\r\n";
  for (const lines of [field + forwarded, forwarded + field]) {
    assert.is(forwardedFor(lines.trim()), UNKNOWN_CLIENT, lines);
  }
  assert.is(forwardedFor(`${field}Forwarded: for=192.0.2.1`), "192.0.2.1");
});

test("does not confuse another machine's loopback with its own", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    assert.is(forwardedFor(`X-Forwarded-For: ${address}`), UNKNOWN_CLIENT, address);
    assert.is(proxies.locate(address, PROXY), UNKNOWN_CLIENT, address);
    assert.is(proxies.locate(address, "127.0.0.1"), address);
  }
  assert.is(forwardedFor("X-Forwarded-For: 127.0.0.5", "127.0.0.1"), "127.0.0.5");
});

test.run();
