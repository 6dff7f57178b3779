// Closed graphs, which a log keeps until their last changes are written.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { removeEverywhere } from "../../../runtime/graph/manager/track-graph.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("log channel");

test("forgets a closed graph once its last changes are written", async () => {
  const channel = new LogChannel(new SimulatedDisk(), "/log");
  const [closed, open] = [loggedStore(), loggedStore()];
  for (const store of [closed, open]) {
    channel.open(store, "g");
    openStore(store).createVertex("a");
  }
  removeEverywhere(closed);
  channel.release();
  assert.is(channel.stores().length, 2, "its change waits");
  assert.ok(channel.write(closed.memory.log!.clock) > 0);
  await channel.log.flush();
  channel.release();
  assert.is(channel.stores().length, 1);
  assert.is(channel.stores()[0], open);
  channel.log.close();
});

test("writes no change again that is in the log, but was not freed in its ring", async () => {
  const disk = new SimulatedDisk();
  const store = loggedStore();
  const { clock } = store.memory.log!;
  openStore(store).createVertex("a");
  const before = new LogChannel(disk, "/log");
  before.open(store, "g");
  before.write(clock);
  await before.log.flush();
  before.log.close();
  const { last } = before.log;
  const channel = new LogChannel(disk, "/log");
  channel.open(store, "g");
  assert.is(channel.write(clock), 0);
  assert.is(channel.log.last, last);
  channel.log.close();
});

test.run();
