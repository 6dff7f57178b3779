// Start data of a thread that runs plugins. Plugins share its modules and could close ports found
// in `workerData`; their child processes inherit its environment.

import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { packageRoot } from "../base/package-info.js";

/** Removes and returns the start data. Call once, before any plugin is loaded. */
export function takeWorkerData<T extends object>(): T {
  const data = { ...(workerData as T) };
  for (const name of Object.keys(data)) delete (workerData as Record<string, unknown>)[name];
  hideCodeFolder();
  return data;
}

/** Hides the folder of compiled code from programs that plugins start. */
export function hideCodeFolder(): void {
  // Otherwise child processes would cache code in this package. This thread has read the variable.
  const isOwn = process.env.NODE_COMPILE_CACHE === join(packageRoot(), "dist", ".code");
  if (isOwn) delete process.env.NODE_COMPILE_CACHE;
}
