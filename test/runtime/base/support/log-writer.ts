// A thread that writes entries that identify it.

import { threadId } from "node:worker_threads";
import { recordLogEntry } from "../../../../runtime/base/recent-log.js";

for (let number = 0; number < 200; number++) {
  recordLogEntry("info", `${threadId}:${String(threadId).repeat(number)}`);
}
