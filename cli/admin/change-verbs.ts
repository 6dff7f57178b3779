// Verbs of `svc admin` that run one operation of the interface on each instance.

import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

/** @param needsIds whether the verb requires explicit ids, because it can be harmful */
export function changeVerb(
  operation: string,
  { needsIds = false, needsYes = false, parameters = {} }: Options = {},
) {
  const run = (context: AdminContext, { ids }: VerbArguments): Promise<number> => {
    if (needsIds && ids === undefined) throw new SvcError("SVC3004", "missing [ids]");
    const selectedIds = context.select(ids);
    if (needsYes && context.values.yes !== true) {
      const text = `${operation} of ${selectedIds.join(", ")} is irreversible: confirm with --yes`;
      throw new SvcError("SVC3116", text);
    }
    const act = (id: string) => operate(context.address(id), operation, parameters);
    return forEachInstance(context, selectedIds, act, describe);
  };
  return { run };
}

interface Options {
  readonly needsIds?: boolean;
  readonly needsYes?: boolean;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Returns text such as `persist complete`. */
function describe(result: unknown): string {
  if (!isPlainObject(result)) return JSON.stringify(result);
  const { action, status } = result;
  return [action, status].filter((part) => part !== undefined).join(" ");
}
