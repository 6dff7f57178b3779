// Client addresses: their text form, and when uWebSockets is asked for them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressText, Peers } from "../../../../runtime/http/uws/peers.js";
import type { UwsResponse } from "../../../../runtime/http/uws/uws-api.js";

const test = suite("uws peers");

/** A response from an address; counts the lookups. */
class FakeResponse {
  readCount = 0;
  constructor(readonly bytes: readonly number[]) {}
  getRemoteAddress(): ArrayBuffer {
    this.readCount++;
    return Uint8Array.from(this.bytes).buffer;
  }
}

function from(...bytes: number[]): UwsResponse & FakeResponse {
  return new FakeResponse(bytes) as unknown as UwsResponse & FakeResponse;
}

test("formats addresses", () => {
  const text = (hex: string): string => addressText(Buffer.from(hex, "hex"));
  assert.is(text("7f000001"), "127.0.0.1");
  assert.is(text("00000000000000000000ffffc0a80001"), "192.168.0.1");
  assert.is(text("00000000000000000000000000000001"), "::1");
  assert.is(text("20010db8000000000000ff0000428329"), "2001:db8::ff00:42:8329");
});

test("looks a single address up once per connection", () => {
  const peers = new Peers();
  peers.opened(from(10, 0, 0, 1), 1);
  peers.opened(from(10, 0, 0, 1), 2);
  const request = from(10, 0, 0, 1);
  assert.is(peers.forResponse(request).client, "http://10.0.0.1:0/");
  assert.is(request.readCount, 0);
  assert.equal(
    peers.list(2).map(({ remoteAddress }) => remoteAddress),
    ["10.0.0.1", "10.0.0.1"],
  );
});

test("looks several addresses up for every request", () => {
  const peers = new Peers();
  peers.opened(from(10, 0, 0, 1), 1);
  peers.opened(from(10, 0, 0, 2), 2);
  const request = from(10, 0, 0, 2);
  const peer = peers.forResponse(request);
  assert.is(peer.remoteAddress, "10.0.0.2");
  assert.is(request.readCount, 1);
  assert.is(peers.forResponse(from(10, 0, 0, 2)), peer, "one object an address");
  // Both are closed, the next one is alone.
  peers.opened(from(10, 0, 0, 3), 1);
  assert.is(peers.forResponse(request).remoteAddress, "10.0.0.3");
});

test("handles the maximum number of addresses", () => {
  const peers = new Peers();
  peers.opened(from(10, 0, 0, 1), 1);
  peers.opened(from(10, 0, 0, 2), 2);
  for (let index = 0; index < 5000; index++) {
    const request = from(11, 0, index >> 8, index & 255);
    assert.is(peers.forResponse(request).remoteAddress, `11.0.${index >> 8}.${index & 255}`);
  }
});

test.run();
