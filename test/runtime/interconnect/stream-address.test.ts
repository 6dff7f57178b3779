// URIs of streams, with what is required of their servers.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  jetStreamTransport,
  parseStreamAddress,
} from "../../../runtime/interconnect/stream/jetstream-transport.js";

const test = suite("address of a stream");

test("names servers and a stream; one copy is enough by default", () => {
  assert.equal(parseStreamAddress("nats://a:1/LOG"), {
    ...{ servers: ["a:1"], name: "LOG", replicas: 1, isDurable: false, monitors: [] },
    uri: "nats://a:1/LOG",
  });
  const minimal = { servers: ["a:1", "b:2"], name: "LOG", uri: "nats://a:1,b:2/LOG" };
  const monitors = ["a:3", "b:4", "c:5"];
  const query = `replicas=3&durable=true&monitor=${monitors.join(",")}`;
  assert.equal(parseStreamAddress(`nats://a:1,b:2/LOG?${query}`), {
    ...{ ...minimal, replicas: 3, isDurable: true, monitors },
  });
  const otherAddress = parseStreamAddress(
    "nats://a:1,b:2/LOG?replicas=3&durable=false&monitor=a:3",
  );
  assert.equal(otherAddress, { ...minimal, replicas: 3, isDurable: false, monitors: ["a:3"] });
  assert.is(jetStreamTransport.canonicalUri(`nats://a:1,b:2/LOG?${query}`, ""), minimal.uri);
});

test("names no more than sixteen servers", () => {
  const servers = (count: number) => Array.from({ length: count }, (_, n) => `a:${n + 1}`);
  const uri = (count: number) => `nats://${servers(count).join(",")}/LOG`;
  assert.equal(parseStreamAddress(uri(16)).servers, servers(16));
  assert.throws(() => parseStreamAddress(uri(17)), /hosts must be host:port/);
});

test("is refused with a reason", () => {
  const three = "replicas=3&durable=true";
  for (const [uri, text] of [
    ["http://h:1/A", "it is not nats://host:port/NAME"],
    ["nats://h/A", "hosts must be host:port, separated by commas (max: 16)"],
    ["nats://h:1/A?replicas=2", "replicas must be 1, 3 or 5"],
    ["nats://h:1/A?durable=1", "durable must be true or false"],
    ["nats://h:1/A?durable=true&monitor=a:1", "durable needs replicas=3 or more"],
    [`nats://h:1/A?${three}&monitor=a:1,b:2`, "durable needs monitor=host:port of each of the 3"],
    [`nats://h:1/A?${three}`, "durable needs monitor=host:port of each of the 3 servers"],
    ["nats://h:1/A?other=1", 'unknown parameter "other"'],
    ["nats://h:1/A?monitor=x", "hosts must be host:port, separated by commas (max: 16)"],
  ] as const) {
    try {
      parseStreamAddress(uri);
      assert.unreachable(uri);
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      assert.is(code, "SVC3360", message);
      assert.ok(message.startsWith(`stream "${uri}": ${text}`), message);
    }
  }
});

test.run();
