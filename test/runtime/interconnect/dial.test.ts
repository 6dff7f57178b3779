// Addresses of other instances.

import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dial, parseAddress, parseHostAndPort } from "../../../runtime/interconnect/wire/dial.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { MemorySocket } from "./support/memory-socket.js";

const test = suite("addresses of instances");

function isRefused(text: string): (error: Error) => boolean {
  return ({ message }) => message === text;
}

test("an address of another machine needs a key", () => {
  const key = SharedKey.read(null);
  assert.is(key.isSet, false);
  assert.is(parseAddress("svc://host:1/"), "host:1");
  assert.is(parseAddress("host:1"), "host:1");
  for (const invalidAddress of ["svc://host", "nats://host:1", "host:1/", ""]) {
    assert.throws(
      () => parseAddress(invalidAddress),
      isRefused(`not svc://host:port: ${invalidAddress}`),
    );
  }
  assert.equal(parseHostAndPort("svc://127.0.0.1:70", key), { host: "127.0.0.1", port: 70 });
  assert.equal(parseHostAndPort("svc://[::1]:70", key), { host: "::1", port: 70 });
  const text = "replication to 10.0.0.1:70 requires a key: set txKeyFile or SVC_TX_KEY";
  assert.throws(() => parseHostAndPort("svc://10.0.0.1:70", key), isRefused(text));
  const shared = new SharedKey(Buffer.alloc(32, 1));
  assert.equal(parseHostAndPort("svc://10.0.0.1:70", shared), { host: "10.0.0.1", port: 70 });
});

test("an open connection has no listeners of the attempt to connect", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  const socket = await dial("127.0.0.1", port);
  assert.equal([socket.listenerCount("error"), socket.listenerCount("timeout")], [0, 0]);
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  const errorCode = await dial("127.0.0.1", port).catch(({ code }) => code);
  assert.is(errorCode, "ECONNREFUSED");
});

test("connecting to an unresponsive address times out", async () => {
  const { connect } = net;
  const [socket] = MemorySocket.pair();
  const requests: unknown[] = [];
  net.connect = ((options: unknown) => {
    requests.push(options);
    return socket;
  }) as never;
  syncBuiltinESMExports();
  try {
    const dialed = dial("host", 70).catch(({ message }) => message);
    socket.emit("timeout");
    assert.is(await dialed, "no response from host:70");
    assert.equal(requests, [{ host: "host", port: 70, timeout: 5000 }]);
  } finally {
    net.connect = connect;
    syncBuiltinESMExports();
  }
});

test.run();
