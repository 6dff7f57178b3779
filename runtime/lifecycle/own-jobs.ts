// Determines the instance of a system that runs the jobs: the first one in the descriptor that runs
// engine plugins and replicates no provider. If its group elects a leader, the leader runs them.

import { JobLease } from "../engine/jobs/job-lease.js";
import type { JobLocation } from "../engine/jobs/job-runner.js";
import { callTimeoutMs } from "../interconnect/leadership/leadership.js";
import type { LeadershipSettings, ServerSettings } from "../settings/server-settings.js";
import { planInstance } from "../system/instance-plan.js";
import { readDescriptor } from "../system/read-descriptor.js";

/** File in the data folder with the last runs of jobs. */
export const JOBS_FILE = "jobs.json";

type Placing = Pick<ServerSettings, "jobs" | "node" | "leadership">;

/**
 * Returns where the scheduled jobs run, from the view of this instance.
 * @param leads returns the epoch in which the instance leads its group; null: it does not lead
 */
export function placeJobs(settings: Placing, leads: () => number | null): JobLocation {
  const { jobs, node, leadership } = settings;
  if (jobs !== "auto") return jobs ? "here" : "elsewhere";
  if (node === null) return "here";
  const system = readDescriptor(node.descriptor);
  const plans = [...system.instances.keys()].map((id) => planInstance(system, id));
  const engines = plans.filter(({ role }) => role !== "dispatcher");
  const first = engines.find(({ provider }) => provider === null) ?? engines[0];
  const group = first?.leadership?.group;
  if (group === undefined || leadership === null)
    return first?.id === node.id ? "here" : "elsewhere";
  return leadership.group === group ? createJobLease(leadership, leads) : "elsewhere";
}

function createJobLease(settings: LeadershipSettings, leads: () => number | null): JobLease {
  const { engine, group, id, ttl: ttlMs } = settings;
  const timeoutMs = callTimeoutMs(settings);
  const open = async () => {
    const { openEngine } = await import("../interconnect/leadership/engines.js");
    return openEngine(engine, `${group}/jobs`, timeoutMs);
  };
  return new JobLease({ id, ttlMs, timeoutMs, leads, open });
}
