// `svc admin send-descriptor`: gives instances the descriptor in use. A changed matrix takes part
// at once, without losing a request.

import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

export function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const body = JSON.stringify(context.system.descriptor);
  const act = (id: string) => operate(context.address(id), "SystemDescriptor", {}, body);
  return forEachInstance(context, context.select(ids), act, (result) => {
    const { action, matrix } = result as { readonly action: string; readonly matrix: string };
    return matrix === "unchanged" ? action : `${action}, matrix ${matrix}`;
  });
}
