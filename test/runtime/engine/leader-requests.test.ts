// Which requests a member of a group refuses in each of its roles.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ServerView } from "../../../runtime/builtin/server-view.js";
import { LeaderRequests } from "../../../runtime/engine/leader-requests.js";
import {
  CommitClock,
  type GroupRole,
} from "../../../runtime/graph/manager/logging-entry-points.js";

const test = suite("requests of a group");

function statusAs(role: GroupRole, leader: string | null = "B1"): number | undefined {
  const clock = new CommitClock();
  clock.setGroup(role, 1);
  const traffic = () => ({ group: { leader } }) as ReturnType<ServerView["traffic"]>;
  return new LeaderRequests(clock, { traffic }).refusal()?.status;
}

test("each role refuses changes with a status that dispatchers treat accordingly", () => {
  assert.is(statusAs("none"), undefined);
  assert.is(statusAs("leading"), undefined);
  assert.is(statusAs("readonly"), 507, "reads remain with the leader");
  assert.is(statusAs("refusing"), 503, "another member may lead");
  assert.is(statusAs("following"), 421);
  assert.is(statusAs("following", null), 421);
});

test.run();
