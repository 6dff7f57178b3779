// One channel over a real socket: the bytes that the back-end receives, and the outcome of a
// request for each way in which the back-end fails.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Channel, type ChannelUser } from "../../../runtime/dispatch/channel.js";
import type { BackEndResponse } from "../../../runtime/dispatch/response-parser.js";
import { DeafBackEnd } from "./support/deaf-back-end.js";
import { FakeBackEnd, type FakeRequest, responseText, until } from "./support/fake-back-end.js";

const test = suite<{ backEnd: FakeBackEnd; channel: Channel; closed: Channel[] }>("channel");
const IDENT = "XSVCIDENT 1 1 1 0 0 0 1";
const HEAD = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

/** Records the notifications of its channel. */
class User implements ChannelUser {
  readonly outcomes: string[] = [];
  response: BackEndResponse | null = null;

  onResponse(channel: Channel, response: BackEndResponse): void {
    this.response = response;
    this.outcomes.push(`${response.status} ${response.body} ${channel.isOpen ? "open" : "closed"}`);
  }

  onFailure(channel: Channel, fault: string, reason: string): void {
    assert.is(channel.isOpen, false);
    this.outcomes.push(`${fault}: ${reason}`);
  }

  async outcome(): Promise<string> {
    await until(() => this.outcomes.length > 0, "outcome");
    // A duplicate notification would arrive soon.
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.is(this.outcomes.length, 1);
    return this.outcomes[0]!;
  }
}

test.before.each(async (context) => {
  context.backEnd = await FakeBackEnd.start();
  context.closed = [];
  context.channel = new Channel(0, context.backEnd.address, `${IDENT}\r\n`, (channel) => {
    context.closed.push(channel);
  });
});

test.after.each(async ({ backEnd, channel }) => {
  channel.abort();
  await backEnd.close();
});

function send(channel: Channel, head = HEAD, body: string | Uint8Array | null = null): User {
  const user = new User();
  channel.send(head, body, user);
  assert.equal(user.outcomes, []);
  return user;
}

test("reports a connection that is not established within the timeout", async () => {
  const deaf = await DeafBackEnd.start();
  const channel = new Channel(0, deaf.address, `${IDENT}\r\n`, () => {}, 200);
  const user = send(channel);
  assert.is(await user.outcome(), "unconnected: connect timeout");
  deaf.stop();
});

test("connects on the first request only", async ({ channel, backEnd }) => {
  assert.is(channel.isOpen, false);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(backEnd.accepted, 0);
});

test("sends consecutive requests on one connection that it identifies once", async (context) => {
  const { channel, backEnd } = context;
  for (let round = 0; round < 3; round++) {
    const user = send(channel);
    const request = await backEnd.next();
    assert.is(request.identLine, IDENT);
    assert.is(request.head, HEAD);
    request.respond(200, `answer ${round}`);
    assert.is(await user.outcome(), `200 answer ${round} open`);
  }
  assert.is(backEnd.accepted, 1);
});

test("sends bodies given as strings and as bytes", async ({ channel, backEnd }) => {
  const head = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\n";
  for (const body of ["a\xff\0", Uint8Array.of(97, 255, 0)]) {
    const user = send(channel, head, body);
    const request = await backEnd.next();
    assert.is(request.head + request.body, `${head}a\xff\0`);
    request.respond(200, "");
    await user.outcome();
  }
});

test("sends a body of 5 MiB to a back-end that reads late", async ({ channel, backEnd }) => {
  const body = Buffer.alloc(5 * 1024 * 1024, "0123456789");
  const user = send(channel, `POST /a HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`, body);
  const request = await backEnd.next();
  assert.ok(request.body === body.toString("latin1"));
  request.respond(200, request.body);
  await until(() => user.response !== null, "answer");
  assert.ok(user.response!.body.equals(body));
});

test("reports a refused connection", async (context) => {
  const { backEnd, channel } = context;
  await backEnd.close();
  const user = send(channel);
  assert.match(await user.outcome(), /^unconnected: connect ECONNREFUSED/);
  context.backEnd = await FakeBackEnd.start();
});

test("reports a host name without an address", async () => {
  const channel = new Channel(0, { host: "no.such.host.invalid", port: 1 }, "", () => {});
  assert.match(await send(channel).outcome(), /^unconnected: /);
});

const ENDINGS: [name: string, end: (request: FakeRequest) => void, fault: RegExp][] = [
  ["closed without a response", ({ socket }) => socket.end(), /^no-answer: connection closed/],
  [
    "reset without a response",
    ({ socket }) => socket.resetAndDestroy(),
    /^no-answer: .*ECONNRESET/,
  ],
  [
    "closed within a response head",
    ({ socket }) => socket.end("HTTP/1.1 200 OK\r\n"),
    /^bad-answer: connection closed/,
  ],
  [
    "closed within a response body",
    ({ socket }) => socket.end(responseText(200, "body").slice(0, -1)),
    /^bad-answer: connection closed/,
  ],
  [
    "bytes that are not HTTP",
    ({ socket }) => socket.write("220 mail\r\n\r\n"),
    /^bad-answer: invalid/,
  ],
  [
    "two responses at once",
    ({ socket }) => socket.write(responseText(200, "a") + responseText(200, "b")),
    /^bad-answer: response exceeds its Content-Length/,
  ],
];
for (const [name, end, fault] of ENDINGS) {
  test(`reports a connection fault on a new and on a reused connection: ${name}`, async ({
    channel,
    backEnd,
    closed,
  }) => {
    for (const isUsed of [false, true]) {
      if (isUsed) {
        const user = send(channel);
        (await backEnd.next()).respond(200, "");
        await user.outcome();
      }
      const user = send(channel);
      end(await backEnd.next());
      assert.match(await user.outcome(), fault);
      assert.is(channel.isOpen, false);
    }
    assert.equal(closed, []);
  });
}

test("reports the close of an idle channel", async ({ channel, backEnd, closed }) => {
  for (const end of [
    (request: FakeRequest) => request.socket.end(),
    (request: FakeRequest) => request.socket.resetAndDestroy(),
    // No request is outstanding.
    (request: FakeRequest) => request.respond(200, "late"),
  ]) {
    const user = send(channel);
    const request = await backEnd.next();
    request.respond(200, "");
    await user.outcome();
    closed.length = 0;
    end(request);
    await until(() => closed.length > 0, "close");
    assert.is(channel.isOpen, false);
  }
});

test("closes the connection after a response with Connection: close", async ({
  channel,
  backEnd,
  closed,
}) => {
  for (const response of ["HTTP/1.1 200 OK\r\n\r\n", responseText(200, "", "Connection: close")]) {
    const user = send(channel);
    (await backEnd.next()).send(response);
    assert.is(await user.outcome(), "200  closed");
  }
  await until(() => backEnd.open === 0, "end of the connections");
  assert.is(backEnd.accepted, 2);
  assert.equal(closed, []);
});

test("reports nothing about an aborted request", async ({ channel, backEnd, closed }) => {
  const user = send(channel);
  const request = await backEnd.next();
  channel.abort();
  request.respond(200, "late");
  await until(() => backEnd.open === 0, "end of the connection");
  assert.equal(user.outcomes, []);
  assert.equal(closed, []);
});

test.run();
