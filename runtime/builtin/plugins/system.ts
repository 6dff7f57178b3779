// Status of all instances of a system, available from each of them (http-interface, "Multi-node
// monitoring").

import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { InstancePoller } from "../../system/instance-poller.js";
import { LevelReader, type LevelTopic } from "../../system/level-reader.js";
import { buildOverview } from "../../system/overview.js";
import type { Polled } from "../../system/poll-instance.js";
import { MAX_DIRECT, SystemWatch } from "../../system/system-watch.js";
import { serverView } from "../context.js";
import { localSystem, tlsForSystem } from "../local-system.js";
import { metricAt, readIds, readRates } from "../system-metrics.js";

const survey = new InstancePoller();
const levels = new LevelReader();
/** By form. */
const watches = new Map<string, SystemWatch>();

/**
 * System descriptor.
 * @plugin system_descriptor
 * @readonly
 */
export function systemDescriptor(_request: PluginRequest): object {
  return localSystem(serverView()).descriptor;
}

/**
 * Multi-node system status.
 * @plugin system_overview
 * @readonly
 * @param form `full`: `nodestat` of each instance; `short`: rows of metrics that changed; `branch`:
 * such rows of this instance and of all instances below it
 * @param known `revision` of the last short response; empty: all rows
 * @param cells revision whose matrix cells are known, in the short form; negative: no cells
 */
export async function systemOverview(
  _request: PluginRequest,
  form: "full" | "short" | "branch" = "full",
  known: str = "",
  cells: int = -1,
): Promise<object> {
  const view = serverView();
  const system = localSystem(view);
  const id = view.node.id ?? system.instances.keys().next().value!;
  if (form !== "full") {
    const last = watches.get(form);
    const scope = { self: id, isBranch: form === "branch" };
    const isSame = last?.isFor(system) === true;
    const watch = isSame ? last : new SystemWatch(system, tlsForSystem(system, view), scope);
    watches.set(form, watch);
    return watch.read(id, known, cells);
  }
  const paths = (instance: { readonly id: string }) => {
    return system.matrices.has(instance.id) ? ["/svc/nodestat", "/svc/matrix"] : ["/svc/nodestat"];
  };
  const ids = [...system.instances.keys()];
  const results = await survey.read(system, "overview", paths, ids, tlsForSystem(system, view));
  return {
    version: `svc ${view.version}`,
    id,
    descriptor: system.descriptor,
    instances: buildOverview(system, results),
    message: null,
    error: false,
  };
}

const COUNTS: LevelTopic = {
  plugin: "system_counts",
  paths: () => ["/svc/objcnt"],
  describe: (polled) => ({
    ...describeAddress(polled),
    objcnt: polled.figures["/svc/objcnt"] ?? null,
  }),
};

const RATES: LevelTopic = {
  plugin: "system_rates",
  paths: () => ["/svc/builtin/metrics?latency=[50,90,95,99,99.9]", "/svc/nodestat"],
  describe(polled) {
    const [metrics, nodestat] = RATES.paths().map((path) => polled.figures[path]);
    return {
      ...describeAddress(polled),
      rates: readRates(metrics),
      clients: metricAt(nodestat, { connected: ["connected-clients"] }),
      matrix: metricAt(nodestat, {
        "active-channels": ["matrix", "active-channels"],
        "total-channels": ["matrix", "total-channels"],
      }),
    };
  },
};

function describeAddress({ instance: { id, host, hport } }: Polled): object {
  return { id, hostname: host, adminport: hport + 1 };
}

/** Large systems are read by level. */
async function readTopic(topic: LevelTopic, idlist: string): Promise<object> {
  const view = serverView();
  const system = localSystem(view);
  const secure = tlsForSystem(system, view);
  const ids = readIds(idlist);
  if (system.instances.size > MAX_DIRECT) {
    const scope = { system, self: view.node.id, secure };
    return { instances: await levels.read(scope, topic, ids), message: null };
  }
  const results = await survey.read(system, topic.plugin, topic.paths, ids, secure);
  return { instances: results.map((polled) => topic.describe(polled)), message: null };
}

/**
 * Multi-node system object counts.
 * @plugin system_counts
 * @readonly
 * @param idlist comma-separated instance ids
 */
export async function systemCounts(_request: PluginRequest, idlist: str = ""): Promise<object> {
  return readTopic(COUNTS, idlist);
}

/**
 * Multi-node system service rates.
 * @plugin system_rates
 * @readonly
 * @param idlist comma-separated instance ids
 */
export async function systemRates(_request: PluginRequest, idlist: str = ""): Promise<object> {
  return readTopic(RATES, idlist);
}
