// Lowers its priority, and reports its entry in /proc.

import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { lowerThreadPriority } from "../../../../runtime/base/thread-priority.js";

lowerThreadPriority();
parentPort!.postMessage(readFileSync("/proc/thread-self/stat", "utf8"));
