// Addresses of other instances.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseAddress, parseHostAndPort } from "../../../runtime/interconnect/wire/dial.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";

const test = suite("addresses of instances");

test("an address of another machine needs a key", () => {
  const key = SharedKey.read(null);
  assert.is(key.isThere, false);
  assert.is(parseAddress("svc://host:1/"), "host:1");
  assert.is(parseAddress("host:1"), "host:1");
  for (const wrong of ["svc://host", "nats://host:1", "host:1/", ""]) {
    assert.throws(() => parseAddress(wrong), `not svc://host:port: ${wrong}`);
  }
  assert.equal(parseHostAndPort("svc://127.0.0.1:70", key), { host: "127.0.0.1", port: 70 });
  assert.equal(parseHostAndPort("svc://[::1]:70", key), { host: "::1", port: 70 });
  const text = "replication to 10.0.0.1:70 requires a key: set txKeyFile or SVC_TX_KEY";
  assert.throws(() => parseHostAndPort("svc://10.0.0.1:70", key), text);
  const shared = new SharedKey(Buffer.alloc(32, 1));
  assert.equal(parseHostAndPort("svc://10.0.0.1:70", shared), { host: "10.0.0.1", port: 70 });
});

test.run();
