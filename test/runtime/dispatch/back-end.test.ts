// Cost of a back-end while requests run, and the life cycle of its channels.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  BUSY_BACKEND_COOLDOWN_MS,
  EXTRA_CHANNEL_IDLE_MS,
  IDLE_CHANNEL_MS,
  LOAD_REPORT_TTL_MS,
} from "../../../runtime/base/limits.js";
import { BackEnd } from "../../../runtime/dispatch/back-end.js";
import type { Channel } from "../../../runtime/dispatch/channel.js";
import { FakeBackEnd, type FakeRequest, until } from "./support/fake-back-end.js";
import { later } from "./support/later.js";

const test = suite<{ fake: FakeBackEnd }>("back-end");
const PLACE = { partition: 1, replica: 2, width: 3, height: 4, isPrimary: true };
const NOWHERE = { host: "127.0.0.1", port: 1 };

function costly(priority: number, channels = 4): BackEnd {
  return new BackEnd(NOWHERE, { channels, priority }, PLACE);
}

test.before.each(async (context) => {
  context.fake = await FakeBackEnd.start();
});

test.after.each(({ fake }) => fake.close());

/** Takes a channel and sends a request; resolves when the request has arrived. */
async function start(
  backEnd: BackEnd,
  fake: FakeBackEnd,
): Promise<{ channel: Channel; request: FakeRequest; response: Promise<Channel> }> {
  const channel = backEnd.takeChannel();
  const response = new Promise<Channel>((resolve, reject) => {
    channel.send("GET /a HTTP/1.1\r\n\r\n", null, {
      onResponse: resolve,
      onFailure: (_, fault, reason) => reject(new Error(`${fault}: ${reason}`)),
    });
  });
  // Some tests finish before their requests do.
  response.catch(() => {});
  return { channel, request: await fake.next(), response };
}

test("computes the cost as priority times running requests", () => {
  const backEnd = costly(5);
  assert.is(backEnd.cost, 0);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel(), backEnd.takeChannel()];
  assert.equal([backEnd.running, backEnd.cost, backEnd.value(0)], [3, 15, 15]);
  backEnd.returnChannel(channels[1]!, -1);
  assert.equal([backEnd.running, backEnd.cost], [2, 10]);
});

test("always has cost 0 with priority 0", () => {
  const backEnd = costly(0, 2);
  const channel = backEnd.takeChannel();
  backEnd.takeChannel();
  assert.is(backEnd.cost, 0);
  assert.is(backEnd.hasFreeChannel, false);
  backEnd.returnChannel(channel, 1000);
  assert.is(backEnd.cost, 0);
  assert.is(backEnd.hasFreeChannel, true);
});

test("adds the reported load of other dispatchers while own requests run", () => {
  const backEnd = costly(2);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel(), backEnd.takeChannel()];
  backEnd.returnChannel(channels[0]!, 10);
  assert.is(backEnd.cost, 20);
  backEnd.returnChannel(channels[1]!, -1);
  assert.is(backEnd.cost, 18);
  backEnd.returnChannel(channels[2]!, 10);
  assert.is(backEnd.cost, 0);
});

test("ignores a reported backlog below the number of own requests", () => {
  const backEnd = costly(2);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel()];
  backEnd.returnChannel(channels[0]!, 0);
  assert.is(backEnd.cost, 2);
});

test("uses a reported load for a limited time", () => {
  const backEnd = costly(2);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel()];
  backEnd.returnChannel(channels[0]!, 50);
  const { cost } = backEnd;
  assert.ok(cost > 50);
  later(LOAD_REPORT_TTL_MS - 1, () => assert.is(backEnd.cost, cost));
  later(LOAD_REPORT_TTL_MS + 1, () => assert.is(backEnd.cost, 2));
});

test("lifts a penalty after the cooldown", () => {
  const backEnd = costly(2);
  backEnd.penalize();
  assert.equal([backEnd.isPenalized, backEnd.cost, backEnd.value(0)], [true, 0, 256]);
  later(BUSY_BACKEND_COOLDOWN_MS - 1, () => assert.is(backEnd.value(0), 256));
  later(BUSY_BACKEND_COOLDOWN_MS + 1, () =>
    assert.equal([backEnd.isPenalized, backEnd.value(0)], [false, 0]),
  );
});

test("resets channels and penalty when it is revived", () => {
  const backEnd = costly(2);
  assert.is(backEnd.isDown, true);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel()];
  backEnd.returnChannel(channels[0]!, 50);
  backEnd.penalize();
  backEnd.markDown("a test says so");
  backEnd.markUp();
  assert.equal([backEnd.isDown, backEnd.isPenalized, backEnd.value(0)], [false, false, 2]);
});

test("numbers channels from 0 and reuses free numbers", () => {
  const backEnd = costly(1);
  const channels = [backEnd.takeChannel(), backEnd.takeChannel(), backEnd.takeChannel()];
  assert.equal(
    channels.map(({ number }) => number),
    [0, 1, 2],
  );
  backEnd.returnChannel(channels[1]!, -1);
  assert.is(backEnd.takeChannel().number, 1);
});

test("identifies each channel by its matrix position", async ({ fake }) => {
  const backEnd = new BackEnd(fake.address, { channels: 7, priority: 1 }, PLACE);
  const secondary = new BackEnd(
    fake.address,
    { channels: 7, priority: 1 },
    {
      ...PLACE,
      isPrimary: false,
    },
  );
  const lines: string[] = [];
  for (const each of [backEnd, backEnd, secondary]) {
    lines.push((await start(each, fake)).request.identLine);
  }
  assert.equal(lines, [
    "XSVCIDENT 3 4 7 1 2 0 1",
    "XSVCIDENT 3 4 7 1 2 1 1",
    "XSVCIDENT 3 4 7 1 2 0 0",
  ]);
});

/** Opens channels that are idle afterwards, the lowest number first. */
async function openIdle(backEnd: BackEnd, fake: FakeBackEnd, count: number): Promise<Channel[]> {
  const started = [];
  for (let i = 0; i < count; i++) started.push(await start(backEnd, fake));
  for (const { request, response: answered } of started) {
    request.respond(200, "");
    backEnd.returnChannel(await answered, -1);
  }
  return started.map(({ channel }) => channel);
}

test("takes the most recently used channel first", async ({ fake }) => {
  const backEnd = new BackEnd(fake.address, { channels: 4, priority: 1 }, PLACE);
  const channels = await openIdle(backEnd, fake, 3);
  assert.equal([backEnd.openChannels, backEnd.running], [3, 0]);
  assert.is(backEnd.takeChannel(), channels[2]);
  assert.is(backEnd.takeChannel(), channels[1]);
  assert.is(fake.accepted, 3);
  backEnd.close();
});

test("closes idle channels one at a time, the last one after a longer timeout", async ({
  fake,
}) => {
  const backEnd = new BackEnd(fake.address, { channels: 4, priority: 1 }, PLACE);
  const channels = await openIdle(backEnd, fake, 3);
  later(IDLE_CHANNEL_MS - 1000, () => backEnd.trim());
  assert.is(backEnd.openChannels, 3);
  later(IDLE_CHANNEL_MS + 1000, () => {
    for (const left of [2, 1, 1]) {
      backEnd.trim();
      assert.is(backEnd.openChannels, left);
    }
  });
  assert.is(backEnd.takeChannel(), channels[2]);
  backEnd.returnChannel(channels[2]!, -1);
  later(EXTRA_CHANNEL_IDLE_MS + 1000, () => backEnd.trim());
  assert.is(backEnd.openChannels, 0);
  assert.is(backEnd.takeChannel().number, 0);
  await until(() => fake.open === 0, "end of the connections");
});

test("closes idle channels and lets running requests finish when it is retired", async ({
  fake,
}) => {
  const backEnd = new BackEnd(fake.address, { channels: 4, priority: 1 }, PLACE);
  await openIdle(backEnd, fake, 2);
  const { request, response: answered } = await start(backEnd, fake);
  backEnd.markDown("a test says so");
  assert.equal([backEnd.openChannels, backEnd.running, backEnd.isDown], [1, 1, true]);
  request.respond(200, "");
  backEnd.returnChannel(await answered, -1);
  backEnd.close();
  assert.is(backEnd.openChannels, 0);
  await until(() => fake.open === 0, "end of the connections");
});

test("drops a channel that the back-end closes", async ({ fake }) => {
  const backEnd = new BackEnd(fake.address, { channels: 2, priority: 1 }, PLACE);
  await openIdle(backEnd, fake, 2);
  fake.reset();
  await until(() => backEnd.openChannels === 0, "end of the channels");
  assert.equal([backEnd.takeChannel().number, backEnd.takeChannel().number], [0, 1]);
});

test("offers a trunk again on the first channel after an idle period", async ({ fake }) => {
  const backEnd = new BackEnd(fake.address, { channels: 2, priority: 1 }, PLACE);
  backEnd.markUp(false);
  assert.is(backEnd.takesTrunk, false);
  const [first] = await openIdle(backEnd, fake, 1);
  assert.is(backEnd.takesTrunk, null);
  // The back-end still refuses trunks: the connection stays and is not probed again.
  backEnd.markUp(false);
  assert.equal([backEnd.takesTrunk, first!.isOpen], [false, true]);
  backEnd.returnChannel(backEnd.takeChannel(), -1);
  assert.is(backEnd.takesTrunk, false);
  backEnd.close();
});

test.run();
