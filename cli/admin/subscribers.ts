// `attach` and `detach` start and stop replication to the subscribers of the descriptor; `promote`
// makes subscribers providers.

import { SvcError } from "../../runtime/base/errors.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

export const attach = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    const { subscribers } = context.system;
    const chosen = context.select(ids).filter((id) => subscribers.get(id)!.length > 0);
    if (chosen.length === 0) {
      throw new SvcError(
        "SVC3117",
        `no subscribers in the descriptor for ${ids ?? "any instance"}`,
      );
    }
    const only = more === undefined ? null : context.select(more);
    const act = (id: string) => {
      const selected = subscribers
        .get(id)!
        .filter((other) => only === null || only.includes(other));
      const goal = JSON.stringify(selected.map((other) => streamAddress(context, other)));
      return operate(context.address(id), "UpdateSubscribers", {}, goal);
    };
    return forEachInstance(context, chosen, act, (result) => {
      const { added, removed } = result as Record<string, readonly string[]>;
      const gone = removed!.length === 0 ? "" : `, no longer ${removed!.join(", ")}`;
      return `attached ${added!.join(", ") || "nobody new"}${gone}`;
    });
  },
};

export const detach = {
  run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    const act = (id: string) => operate(context.address(id), "DetachAll");
    return forEachInstance(context, context.select(ids), act, () => "detached all");
  },
};

/** Requires explicit ids, because promoting fences a live provider. */
export const promote = {
  run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    if (ids === undefined) throw new SvcError("SVC3004", "missing [ids]");
    const act = async (id: string): Promise<unknown> => {
      const answer = await operate(context.address(id), "Console", { graph: "_system" }, "Promote");
      const [result] = (answer as { result: readonly unknown[] }).result;
      if (typeof result === "string") throw new SvcError("SVC3115", `Promote of ${id}: ${result}`);
      return result;
    };
    return forEachInstance(context, context.select(ids), act, (result) => {
      return `promoted to provider, epoch ${(result as { epoch: number }).epoch}`;
    });
  },
};

/** @throws SvcError SVC3117 */
function streamAddress({ system }: AdminContext, id: string): string {
  const { host, tport } = system.instances.get(id)!;
  if (tport > 0) return `${host}:${tport}`;
  throw new SvcError("SVC3117", `Destination has no TX input service: ${id}`);
}
