// `svc admin log-level`: changes the minimum level of the server log of running instances.

import { SvcError } from "../../runtime/base/errors.js";
import { LOG_LEVELS } from "../../runtime/base/log-settings.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

export function run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
  const level = LOG_LEVELS.find((known) => known === more);
  if (ids === undefined || level === undefined) {
    throw new SvcError("SVC3004", `expected <ids> and a level: ${LOG_LEVELS.join(", ")}`);
  }
  const act = (id: string) => operate(context.address(id), "LogLevel", { level });
  return forEachInstance(context, context.select(ids), act, (result) => {
    return `${level}, before: ${isPlainObject(result) ? result.former : "?"}`;
  });
}
