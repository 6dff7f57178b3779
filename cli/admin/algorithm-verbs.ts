// `svc admin algorithms` and `cancel-algorithm`: algorithms over whole graphs of running instances.

import type { AlgorithmReport, RunningAlgorithm } from "../../runtime/base/algorithm-report.js";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const PATH = "/svc/builtin/algorithms";
const TIMEOUT_MS = 5000;

export const algorithms = {
  run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    const act = (id: string) =>
      requestInstance(context.address(id), { path: PATH, timeoutMs: TIMEOUT_MS });
    return forEachInstance(context, context.select(ids), act, (result) => {
      const { running } = result as AlgorithmReport;
      return running.length === 0 ? "none" : running.map(describeRunning).join("; ");
    });
  },
};

export const cancelAlgorithm = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    if (ids === undefined || more === undefined || !/^\d+$/.test(more)) {
      throw new SvcError("SVC3004", "expected <ids> and the id of an algorithm");
    }
    const act = (id: string) => operate(context.address(id), "CancelAlgorithm", { id: more });
    return forEachInstance(context, context.select(ids), act, () => `${more} cancelled`);
  },
};

/** Returns text such as `3: pageRank of shop, 42 % after 12 s`. */
function describeRunning({ id, algorithm, graph, progress, sinceMs }: RunningAlgorithm): string {
  const seconds = Math.round((Date.now() - sinceMs) / 1000);
  return `${id}: ${algorithm} of ${graph}, ${Math.round(progress * 100)} % after ${seconds} s`;
}
