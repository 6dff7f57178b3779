// `attach` and `detach` start and stop replication to the subscribers of the descriptor; `promote`
// makes subscribers providers, and `handover` transfers the lead of a group.

import { isErrorCode } from "../../runtime/base/error-codes.js";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";
import { fetchNodestat, readGroup } from "./rolling-update/instances.js";

const STATUS_TIMEOUT_MS = 5000;
/** A failure with an error code and a message in JSON notation. */
const FAILURE = /^Exception\("(SVC\d{4}): ((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*)"\)$/u;

export const attach = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    const { subscribers } = context.system;
    const providers = context.select(ids).filter((id) => subscribers.get(id)!.length > 0);
    if (providers.length === 0) {
      throw new SvcError(
        "SVC3117",
        `no subscribers in the descriptor for ${ids ?? "any instance"}`,
      );
    }
    const selectedIds = more === undefined ? null : context.select(more);
    const updateSubscribers = (id: string) => {
      const selected = subscribers
        .get(id)!
        .filter((subscriber) => selectedIds === null || selectedIds.includes(subscriber));
      return setSubscribers(
        context,
        id,
        selected.map((subscriber) => streamAddress(context, subscriber)),
      );
    };
    return forEachInstance(context, providers, updateSubscribers, (result) => {
      const { added, removed } = result as Record<string, readonly string[]>;
      const removedText = removed!.length === 0 ? "" : `, no longer ${removed!.join(", ")}`;
      return `attached ${added!.join(", ") || "no new subscribers"}${removedText}`;
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
    const act = (id: string): Promise<unknown> => runCommand(context, id, command);
    return forEachInstance(context, context.select(ids), act, (result) => {
      return `promoted to provider, epoch ${(result as { epoch: number }).epoch}`;
    });
  },
};

/** Transfers the lead of a group to another member. */
export const handover = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    if (ids === undefined || more === undefined)
      throw new SvcError("SVC3004", "missing <from> <to>");
    const [from, to] = [context.select(ids), context.select(more)];
    if (from.length !== 1 || to.length !== 1) {
      throw new SvcError("SVC3004", "expected one instance that leads, and one to take over");
    }
    const act = async (id: string): Promise<unknown> => {
      const { leader } = readGroup(await fetchNodestat(context, id));
      // An earlier run that was interrupted has completed.
      return leader === to[0] ? null : handOver(context, id, to[0]!);
    };
    return forEachInstance(context, from, act, () => `handed over to ${to[0]}`);
  },
};

/** Makes another member lead the group of an instance. @throws SvcError SVC3115, SVC3403 */
export function handOver(context: AdminContext, id: string, to: string): Promise<unknown> {
  return runCommand(context, id, `HandOver ${to}`);
}

/**
 * Runs a command of the `_system` console: an operation outside of the interface.
 * @throws SvcError SVC3115, or with the code of the instance
 */
async function runCommand(context: AdminContext, id: string, command: string): Promise<unknown> {
  const response = await operate(context.address(id), "Console", { graph: "_system" }, command);
  const [result] = (response as { result: readonly unknown[] }).result;
  if (typeof result !== "string") return result;
  const [, code, message] = FAILURE.exec(result) ?? [];
  if (code !== undefined && isErrorCode(code)) {
    throw new SvcError(code, JSON.parse(`"${message}"`));
  }
  throw new SvcError("SVC3115", `${command} of ${id}: ${result}`);
}

/** Returns `host:port` of the attached subscribers; no streams. */
export async function listAttached(context: AdminContext, id: string): Promise<string[]> {
  const request = { path: "/svc/peerstat", timeoutMs: STATUS_TIMEOUT_MS };
  const status = (await requestInstance(context.address(id), request)) as {
    readonly subscribers?: readonly (readonly [string, unknown])[];
  };
  return (status.subscribers ?? []).flatMap(([uri]) => /^svc:\/\/(.+)$/.exec(uri)?.[1] ?? []);
}

/** Attaches exactly these subscribers. */
export function setSubscribers(
  context: AdminContext,
  id: string,
  addresses: readonly string[],
): Promise<unknown> {
  return operate(context.address(id), "UpdateSubscribers", {}, JSON.stringify(addresses));
}

/**
 * Returns `host:port` at which a subscriber receives changes.
 * @throws SvcError SVC3117
 */
export function streamAddress({ system }: AdminContext, id: string): string {
  const { host, tport } = system.instances.get(id)!;
  if (tport > 0) return `${host}:${tport}`;
  throw new SvcError("SVC3117", `Destination has no TX input service: ${id}`);
}
