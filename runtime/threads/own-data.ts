// Start data of a thread that runs plugins. Plugins share its modules and could close ports found
// in `workerData`.

import { workerData } from "node:worker_threads";

/** Removes and returns the start data. Call once, before any plugin is loaded. */
export function takeWorkerData<T extends object>(): T {
  const data = { ...(workerData as T) };
  for (const name of Object.keys(data)) delete (workerData as Record<string, unknown>)[name];
  return data;
}
