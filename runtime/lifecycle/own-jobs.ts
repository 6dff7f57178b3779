// Which instance of a system runs the jobs. A system has no leader yet, so its descriptor decides:
// the first instance that runs engine plugins and whose graphs are not those of a provider.

import type { ServerSettings } from "../settings/server-settings.js";
import { planInstance } from "../system/instance-plan.js";
import { readDescriptor } from "../system/read-descriptor.js";

/** File in the data folder with the last runs of jobs. */
export const JOBS_FILE = "jobs.json";

/** Returns whether the schedules of jobs run on this instance. */
export function hasOwnJobs({ jobs, node }: Pick<ServerSettings, "jobs" | "node">): boolean {
  if (jobs !== "auto") return jobs;
  if (node === null) return true;
  const system = readDescriptor(node.descriptor);
  const plans = [...system.instances.keys()].map((id) => planInstance(system, id));
  const engines = plans.filter(({ role }) => role !== "dispatcher");
  const first = engines.find(({ provider }) => provider === null) ?? engines[0];
  return first?.id === node.id;
}
