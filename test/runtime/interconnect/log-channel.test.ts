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

test.run();
