// Which settings let an instance provide or follow from its start.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isReplicationConfigured } from "../../../runtime/interconnect/replication-settings.js";

const test = suite("replication settings");
const NONE = { txPort: null, attach: [], publishStream: null, followStream: null };

test("each of them alone enables replication", () => {
  assert.is(isReplicationConfigured(NONE), false);
  for (const settings of [
    ...[{ txPort: 0 }, { attach: ["127.0.0.1:1"] }],
    ...[{ publishStream: "nats://127.0.0.1/a" }, { followStream: "nats://127.0.0.1/a" }],
  ]) {
    assert.is(isReplicationConfigured({ ...NONE, ...settings }), true, JSON.stringify(settings));
  }
});

test.run();
