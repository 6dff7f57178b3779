// `svc admin send-descriptor`: replaces the descriptor of running instances. A changed matrix takes
// effect at once, without losing a request. Dispatchers come first: if one refuses another number
// of partitions, no other instance is changed.

import { SvcError } from "../../runtime/base/errors.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const REFUSAL = "SVC3411: ";

export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const { system, values } = context;
  const body = JSON.stringify(system.descriptor);
  const parameters = values["i-have-split-the-data"] === true ? { split: "1" } : {};
  const send = (id: string) => operate(context.address(id), "SystemDescriptor", parameters, body);
  const chosen = context.select(ids);
  const sent = new Map<string, Promise<unknown>>();
  for (const id of chosen.filter((instance) => system.matrices.has(instance))) {
    const done = send(id);
    sent.set(id, done);
    await done.catch(requireAccepted);
  }
  const act = (id: string) => sent.get(id) ?? send(id);
  return forEachInstance(context, chosen, act, (result) => {
    const { action, matrix, slots } = result as Record<"action" | "matrix" | "slots", string>;
    const changes = [
      ...(matrix === "unchanged" ? [] : [`matrix ${matrix}`]),
      ...(slots === "unchanged" ? [] : [`slots ${slots}`]),
    ];
    return [action, ...changes].join(", ");
  });
}

/** @throws SvcError SVC3411 if a dispatcher refuses for that reason */
function requireAccepted(error: Error): void {
  const at = error.message.indexOf(REFUSAL);
  if (at >= 0) throw new SvcError("SVC3411", error.message.slice(at + REFUSAL.length));
}
