// Status of all instances of a system, available from each of them (http-interface, "Multi-node
// monitoring").

import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { InstancePoller } from "../../system/instance-poller.js";
import { buildOverview } from "../../system/overview.js";
import { SystemWatch } from "../../system/system-watch.js";
import { serverView } from "../context.js";
import { localSystem, tlsForSystem } from "../local-system.js";
import { metricAt, readIds, readRates } from "../system-metrics.js";

const survey = new InstancePoller();
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
    const isSame = last?.isOf(system) === true;
    const watch = isSame ? last : new SystemWatch(system, tlsForSystem(system, view), scope);
    watches.set(form, watch);
    return watch.read(id, known, cells);
  }
  const paths = (instance: { readonly id: string }) => {
    return system.matrices.has(instance.id) ? ["/svc/nodestat", "/svc/matrix"] : ["/svc/nodestat"];
  };
  const ids = [...system.instances.keys()];
  const found = await survey.of(system, "overview", paths, ids, tlsForSystem(system, view));
  return {
    version: `svc ${view.version}`,
    id,
    descriptor: system.descriptor,
    instances: buildOverview(system, found),
    message: null,
    error: false,
  };
}

/**
 * Multi-node system object counts.
 * @plugin system_counts
 * @readonly
 * @param idlist comma-separated instance ids
 */
export async function systemCounts(_request: PluginRequest, idlist: str = ""): Promise<object> {
  const view = serverView();
  const system = localSystem(view);
  const way = tlsForSystem(system, view);
  const found = await survey.of(system, "counts", () => ["/svc/objcnt"], readIds(idlist), way);
  const instances = found.map(({ instance, figures }) => ({
    id: instance.id,
    hostname: instance.host,
    adminport: instance.hport + 1,
    objcnt: figures["/svc/objcnt"] ?? null,
  }));
  return { instances, message: null };
}

/**
 * Multi-node system service rates.
 * @plugin system_rates
 * @readonly
 * @param idlist comma-separated instance ids
 */
export async function systemRates(_request: PluginRequest, idlist: str = ""): Promise<object> {
  const view = serverView();
  const system = localSystem(view);
  const paths = () => ["/svc/builtin/metrics?latency=[50,90,95,99,99.9]", "/svc/nodestat"];
  const way = tlsForSystem(system, view);
  const found = await survey.of(system, "rates", paths, readIds(idlist), way);
  const instances = found.map(({ instance, figures }) => {
    const [metrics, nodestat] = paths().map((path) => figures[path]);
    return {
      id: instance.id,
      hostname: instance.host,
      adminport: instance.hport + 1,
      rates: readRates(metrics),
      clients: metricAt(nodestat, { connected: ["connected-clients"] }),
      matrix: metricAt(nodestat, {
        "active-channels": ["matrix", "active-channels"],
        "total-channels": ["matrix", "total-channels"],
      }),
    };
  });
  return { instances, message: null };
}
