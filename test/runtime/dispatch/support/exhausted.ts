// Started with few file descriptors: opens all that are left, sends a request to a matrix of one
// back-end, and prints its outcome, then whether the back-end still counts as healthy.

import { openSync } from "node:fs";
import { Dispatcher } from "../../../../runtime/dispatch/dispatcher.js";
import { readMatrixConfig } from "../../../../runtime/settings/matrix-config.js";
import { FakeBackEnd } from "./fake-back-end.js";
import { makeRequest } from "./make-request.js";

const backEnd = await FakeBackEnd.start();
const partitions = [[backEnd.address]];
const dispatcher = new Dispatcher(readMatrixConfig({ partitions, replicas: [{}] }));
await dispatcher.start();
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  // No descriptor is left.
}
dispatcher.dispatch({
  request: makeRequest("/a"),
  resubmits: 0,
  explanation: null,
  trace: null,
  client: "127.0.0.1",
  isAborted: () => false,
  onEnd: (outcome) => {
    const { isDown } = dispatcher.matrix.backEnds[0]![0]!;
    process.stdout.write(`${JSON.stringify({ ...outcome, isDown })}\n`, () => process.exit());
  },
});
