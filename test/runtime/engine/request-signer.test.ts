// Signatures of forwarded requests name the client, and whether this instance trusts it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RequestSigner } from "../../../runtime/engine/request-signer.js";
import { DispatchSignature } from "../../../runtime/http/auth/dispatch-signature.js";
import type { SignedOrigin } from "../../../runtime/http/auth/signed-origin.js";
import type { Exchange } from "../../../runtime/http/transport.js";
import { TrustedClients } from "../../../runtime/http/trusted-clients.js";
import { fakeConnection, fakeExchange } from "../builtin/fake-view.js";

const test = suite("request signer");
const KEY = "k".repeat(32);
const CONTENT = { method: "GET", target: "/svc/plugin/x", body: "y" };
const signer = new RequestSigner(
  new DispatchSignature(KEY),
  new TrustedClients(["10.0.0.0/8"]),
  true,
);

/** The client and the trust that two signatures of a request name. */
function signed(exchange: Exchange): string {
  const sign = signer.createSign(exchange, CONTENT)!;
  const receiver = new DispatchSignature(KEY);
  const verify = (line: string) => receiver.verify(CONTENT, line.split(": ")[1]!) as SignedOrigin;
  const origins = [sign(), sign()].map(verify);
  assert.equal(origins[0], origins[1]);
  return `${origins[0]!.client} ${origins[0]!.isTrusted}`;
}

test("decides for each client, also with the same header fields", () => {
  const exchange = fakeExchange("/", "Host: 127.0.0.1\r\n") as Exchange;
  const from = (remoteAddress: string, changes: Partial<Exchange> = {}): Exchange => ({
    ...exchange,
    connection: fakeConnection({ remoteAddress }),
    ...changes,
  });
  for (let turn = 0; turn < 2; turn++) {
    assert.is(signed(from("10.0.0.9")), "10.0.0.9 true");
    assert.is(signed(from("192.0.2.9")), "192.0.2.9 false");
    assert.is(signed(from("10.0.0.9", { forwardedFor: "192.0.2.8" })), "192.0.2.8 false");
  }
});

test("decides for each set of header fields of a connection", () => {
  const exchange = fakeExchange("/", "Host: evil.test\r\n") as Exchange;
  assert.is(signed(exchange), `${exchange.connection.remoteAddress} false`);
  const otherExchange = fakeExchange("/", "Host: 127.0.0.1\r\n") as Exchange;
  assert.is(signed({ ...otherExchange, connection: exchange.connection }).split(" ")[1], "true");
});

test("forwards the content of a dispatcher's signature", () => {
  const exchange = fakeExchange("/", "Host: 127.0.0.1\r\n") as Exchange;
  for (const isTrusted of [true, false]) {
    const signedOrigin = { principal: null, client: "192.0.2.7", isTrusted, isGuarded: false };
    const passed = { ...exchange, signedOrigin, forwardedFor: "192.0.2.7" };
    assert.is(signed(passed), `192.0.2.7 ${isTrusted}`);
  }
});

test.run();
