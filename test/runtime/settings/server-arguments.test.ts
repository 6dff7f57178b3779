// What startHTTP and the command line accept as port, address and prefix.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import {
  checkedCors,
  checkedCount,
  checkedIp,
  checkedPort,
  checkedPrefix,
  checkedTransport,
  checkedTrusted,
} from "../../../runtime/settings/server-arguments.js";

const test = suite("server arguments");

function refuses(run: () => unknown, text: RegExp): void {
  try {
    run();
  } catch (error) {
    assert.instance(error, SvcError);
    assert.is((error as SvcError).code, "SVC2205");
    assert.match((error as SvcError).message, text);
    return;
  }
  assert.unreachable();
}

test("ports leave room for the admin port", () => {
  assert.is(checkedPort(0), 0);
  assert.is(checkedPort(65534), 65534);
  for (const port of [65535, -1, 1.5, Number.NaN, "9000", null, undefined]) {
    refuses(() => checkedPort(port), /^invalid port number/);
  }
});

test("prefixes get one leading slash and no trailing one", () => {
  assert.is(checkedPrefix(undefined), null);
  assert.is(checkedPrefix(""), null);
  assert.is(checkedPrefix("shop"), "/shop");
  assert.is(checkedPrefix("/shop/v1/"), "/shop/v1");
  for (const prefix of ["a b", "ä", "/", "a//b", "../x", "svc", "/svc/x", 5, "a?b", "%41"]) {
    refuses(() => checkedPrefix(prefix), /^invalid prefix/);
  }
});

test("addresses are literal or resolve", async () => {
  assert.is(await checkedIp(undefined), null);
  assert.is(await checkedIp("127.0.0.1"), "127.0.0.1");
  assert.is(await checkedIp("::1"), "::1");
  for (const [ip, text] of [
    [7, /^invalid ip address/],
    ["", /^invalid ip address/],
    ["no.such.host.invalid", /^ip address does not resolve/],
  ] as const) {
    const error = await checkedIp(ip).then(
      () => null,
      (reason) => reason,
    );
    assert.instance(error, SvcError);
    assert.match(error.message, text);
  }
});

test("an origin is one printable word", () => {
  assert.is(checkedCors(undefined), null);
  assert.is(checkedCors("*"), "*");
  assert.is(checkedCors("https://shop.example:8080"), "https://shop.example:8080");
  for (const cors of ["", "a b", "*\r\nSet-Cookie: a=b", true]) {
    refuses(() => checkedCors(cors), /^invalid cors/);
  }
});

test("transports are known by name", () => {
  assert.is(checkedTransport(undefined), "auto");
  assert.is(checkedTransport("net"), "net");
  refuses(() => checkedTransport("htp"), /^invalid transport: expected auto, net, uws, got "htp"/);
});

test("trusted networks are a list of networks", () => {
  assert.equal(checkedTrusted(undefined), []);
  assert.equal(checkedTrusted(["10.0.0.0/8", "::1"]), ["10.0.0.0/8", "::1"]);
  for (const trusted of ["10.0.0.0/8", {}, [5]]) {
    refuses(() => checkedTrusted(trusted), /^invalid trusted: expected a list/);
  }
  refuses(() => checkedTrusted(["10.0.0.0/33"]), /10\.0\.0\.0\/33 is not a network/);
});

test("sizes and times are whole and not negative", () => {
  assert.is(checkedCount("maxBodyBytes", undefined, 7), 7);
  assert.is(checkedCount("maxBodyBytes", 0, 7), 0);
  for (const count of [-1, 1.5, Number.NaN, "10", null]) {
    refuses(() => checkedCount("maxBodyBytes", count, 7), /^invalid maxBodyBytes/);
  }
});

test.run();
