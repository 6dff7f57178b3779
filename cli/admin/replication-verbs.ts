// Verbs of `svc admin` for replication between instances.

import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

interface Verb {
  run(context: AdminContext, args: VerbArguments): Promise<number>;
}

export const pause = createGateVerb("Suspend");
export const resume = createGateVerb("Resume");

function createGateVerb(word: "Suspend" | "Resume"): Verb {
  const run = (context: AdminContext, { ids, more }: VerbArguments): Promise<number> => {
    if (more !== "in" && more !== "out") {
      throw new SvcError("SVC3004", "expected <ids> and `in` or `out`");
    }
    const operation = `${word}Tx${more === "in" ? "Input" : "Output"}`;
    const act = (id: string) => operate(context.address(id), operation);
    return forEachInstance(context, context.select(ids), act, formatAction);
  };
  return { run };
}

/** Makes instances listen on their `tport` of the descriptor. */
export const bind: Verb = {
  run(context, { ids }) {
    const chosen = selectNamed(context, ids);
    const unbound = chosen.filter((id) => context.system.instances.get(id)!.tport === 0);
    if (unbound.length > 0) {
      throw new SvcError("SVC3117", `${unbound.join(", ")}: no \`tport\` in the descriptor`);
    }
    const act = async (id: string) => {
      const { tport, durable } = context.system.instances.get(id)!;
      await context.waitUntilIdle(id);
      const parameters = { port: String(tport), durable: durable ? "1" : "0" };
      return operate(context.address(id), "Bind", parameters);
    };
    return forEachInstance(context, chosen, act, (result) => {
      return `listens for a provider on port ${isPlainObject(result) ? result.port : "?"}`;
    });
  },
};

/** Sends the operation to the provider, because a subscriber cannot detach itself. */
export const unsubscribe: Verb = {
  run(context, { ids }) {
    const { instances, providers } = context.system;
    const chosen = selectNamed(context, ids);
    const without = chosen.filter((id) => !providers.has(id) || instances.get(id)!.tport === 0);
    if (without.length > 0) {
      throw new SvcError("SVC3117", `${without.join(", ")}: no provider in the descriptor`);
    }
    const act = (id: string) => {
      const { host, tport } = instances.get(id)!;
      const uri = `svc://${host}:${tport}`;
      return operate(context.address(providers.get(id)!), "Detach", { uri });
    };
    return forEachInstance(context, chosen, act, () => "detached from its provider");
  },
};

/** Without an argument, prints the current rate. */
export const throttle: Verb = {
  run(context, { ids, more }) {
    const [rate = "-1", unit = rate === "0" ? "all_unlimited" : "bytes"] = more?.split(",") ?? [];
    if (!/^-?\d+(?:\.\d+)?$/.test(rate)) {
      throw new SvcError("SVC3004", "expected <ids> and a rate, e.g. 1000,operations");
    }
    const act = (id: string) => operate(context.address(id), "Throttle", { rate, unit });
    return forEachInstance(context, selectNamed(context, ids), act, (result) => {
      return JSON.stringify(isPlainObject(result) ? result.limits : result);
    });
  },
};

/** @throws SvcError SVC3004 without ids: omitting them must not select all */
function selectNamed(context: AdminContext, ids: string | undefined): string[] {
  if (ids === undefined) throw new SvcError("SVC3004", "missing [ids]");
  return context.select(ids);
}

function formatAction(result: unknown): string {
  return isPlainObject(result) ? String(result.action) : JSON.stringify(result);
}
