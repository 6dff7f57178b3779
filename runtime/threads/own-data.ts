// What a thread that runs plugins was started with. Plugins share its modules: what they found in
// `workerData`, ports above all, they could close.

import { workerData } from "node:worker_threads";

/** To be called once, before any plugin is loaded. */
export function takeWorkerData<T extends object>(): T {
  const taken = { ...(workerData as T) };
  for (const name of Object.keys(taken)) delete (workerData as Record<string, unknown>)[name];
  return taken;
}
