// Verbs of `svc admin` that only read.

import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import { descriptorHash } from "../../runtime/system/descriptor-hash.js";
import { requestInstance, requestInstanceJson } from "../../runtime/system/instance-client.js";
import { planInstance } from "../../runtime/system/instance-plan.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";

const TIMEOUT_MS = 5000;
/** Maximum characters shown of an error response. */
const MAX_SHOWN = 500;

export const nodestat = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    const act = async (id: string) => {
      const path = "/svc/nodestat";
      const status = await requestInstance(context.address(id), { path, timeoutMs: TIMEOUT_MS });
      if (more === undefined || !isPlainObject(status)) return status;
      return Object.hasOwn(status, more) ? status[more] : null;
    };
    return forEachInstance(context, context.select(ids), act, (result) =>
      JSON.stringify(result, null, 2),
    );
  },
};

/** Prints the descriptor that this command uses. */
export const descriptor = {
  async run(context: AdminContext): Promise<number> {
    const { descriptor } = context.system;
    context.print(descriptor, [JSON.stringify(descriptor, null, 2)]);
    return 0;
  },
};

export const plan = {
  async run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    const plans = context.select(ids).map((id) => planInstance(context.system, id));
    const hash = descriptorHash(context.system.descriptor);
    const value = { descriptor: hash, plans };
    context.print(value, [JSON.stringify(value, null, 2)]);
    return 0;
  },
};

/** Prints the responses of the admin ports to GET of a path. */
export const endpoint = {
  run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
    if (more === undefined || !/^\/[\x21-\x7e]*$/.test(more)) {
      throw new SvcError("SVC3004", "expected <ids> and a <path>, e.g. /svc/matrix");
    }
    const act = async (id: string) => {
      const { status, text } = await requestInstanceJson(context.address(id), {
        path: more,
        timeoutMs: TIMEOUT_MS,
      });
      const response = jsonOrText(text);
      if (status < 400) return response;
      const shown = JSON.stringify(response).slice(0, MAX_SHOWN);
      throw new SvcError("SVC3302", `${more} returned ${status}: ${shown}`);
    };
    return forEachInstance(context, context.select(ids), act, (result) =>
      JSON.stringify(result, null, 2),
    );
  },
};

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const waitIdle = {
  run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    const act = (id: string) => context.waitUntilIdle(id);
    return forEachInstance(context, context.select(ids), act, () => "idle");
  },
};
