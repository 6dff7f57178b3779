// `attach` and `detach` start and stop replication to the subscribers of the descriptor; `promote`
// makes subscribers providers, and `handover` lets another member of a group lead.

import { isErrorCode } from "../../runtime/base/error-codes.js";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const ASK_MS = 2000;
/** Failure with a code; its message is the content of a string in JSON. */
const FAILURE = /^Exception\("(SVC\d{4}): ((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*)"\)$/u;

interface Nodestat {
  readonly "master-serial"?: string;
}

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
      return `attached ${added!.join(", ") || "no new subscribers"}${gone}`;
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
    const command = context.values["accept-loss"] === true ? "Promote accept-loss" : "Promote";
    const act = async (id: string): Promise<unknown> => {
      try {
        return await runCommand(context, id, command);
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== "SVC3402") throw error;
        throw new SvcError(error.code, `${error.message}. ${await positions(context, id)}`);
      }
    };
    return forEachInstance(context, context.select(ids), act, (result) => {
      return `promoted to provider, epoch ${(result as { epoch: number }).epoch}`;
    });
  },
};

/** Lets another member of its group lead. */
export const handover = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    if (ids === undefined || more === undefined)
      throw new SvcError("SVC3004", "missing <from> <to>");
    const [from, to] = [context.select(ids), context.select(more)];
    if (from.length !== 1 || to.length !== 1) {
      throw new SvcError("SVC3004", "expected one instance that leads, and one that will");
    }
    const act = (id: string): Promise<unknown> => handOver(context, id, to[0]!);
    return forEachInstance(context, from, act, () => `handed over to ${to[0]}`);
  },
};

/** Lets another member of its group lead. @throws SvcError SVC3115, SVC3403 */
export function handOver(context: AdminContext, id: string, to: string): Promise<unknown> {
  return runCommand(context, id, `HandOver ${to}`);
}

/** Describes how much each member of the group of an instance has. */
async function positions(context: AdminContext, id: string): Promise<string> {
  const { providers, subscribers } = context.system;
  const root = providers.get(id) ?? id;
  const members = [root, ...subscribers.get(root)!].map(async (member) => {
    const question = { path: "/svc/nodestat", timeoutMs: ASK_MS };
    const shown = await requestInstance(context.address(member), question).catch(() => null);
    return `${member} ${(shown as Nodestat | null)?.["master-serial"] ?? "does not respond"}`;
  });
  return `master-serial: ${(await Promise.all(members)).join(", ")}`;
}

/**
 * Runs a command of the operations that the interface does not have.
 * @throws SvcError SVC3115, or with the code of the instance
 */
async function runCommand(context: AdminContext, id: string, command: string): Promise<unknown> {
  const answer = await operate(context.address(id), "Console", { graph: "_system" }, command);
  const [result] = (answer as { result: readonly unknown[] }).result;
  if (typeof result !== "string") return result;
  const [, code, message] = FAILURE.exec(result) ?? [];
  if (code !== undefined && isErrorCode(code)) {
    throw new SvcError(code, JSON.parse(`"${message}"`));
  }
  throw new SvcError("SVC3115", `${command} of ${id}: ${result}`);
}

/** @throws SvcError SVC3117 */
function streamAddress({ system }: AdminContext, id: string): string {
  const { host, tport } = system.instances.get(id)!;
  if (tport > 0) return `${host}:${tport}`;
  throw new SvcError("SVC3117", `Destination has no TX input service: ${id}`);
}
