// The latest log entries for the console, after the cursor of the previous response, of this
// instance or of another one of its system. On the admin port, for trusted clients: a log reveals
// clients and faults.

import { ParameterError } from "../../base/errors.js";
import { recentLogEntries } from "../../base/recent-log.js";
import { createParamReader, parseParams } from "../../plugin/convert.js";
import { requestInstance } from "../../system/instance-client.js";
import { localSystem, tlsForSystem } from "../local-system.js";
import type { ServerView } from "../server-view.js";
import { ForbiddenError, type Service } from "../service.js";

const READERS = {
  after: createParamReader("after", "int"),
  instance: createParamReader("instance", "str"),
};
const TIMEOUT_MS = 2000;

export const logService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: false,
  handle(view, { query, isTrusted }) {
    if (!isTrusted) {
      throw new ForbiddenError("403 Forbidden: the log requires loopback or http.trustedNetworks");
    }
    const { after, instance } = parseParams(query, READERS);
    const from = Math.max(0, Number(after ?? 0));
    const id = String(instance ?? "");
    if (id === "" || id === view.node.id) return JSON.stringify(recentLogEntries(from));
    return logOfInstance(view, id, from);
  },
};

/** Requests the log of another instance, which decides whether it trusts this one. */
function logOfInstance(view: ServerView, id: string, after: number): Promise<string> {
  const system = localSystem(view);
  const instance = system.instances.get(id);
  if (instance === undefined) {
    throw new ParameterError("LookupError", "undefined instance");
  }
  const { host, hport } = instance;
  const address = { host, port: hport + 1, secure: tlsForSystem(system, view) };
  const request = { path: `/svc/log?after=${after}`, timeoutMs: TIMEOUT_MS };
  return requestInstance(address, request).then((log) => JSON.stringify(log));
}
