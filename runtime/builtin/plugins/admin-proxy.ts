// Forwards admin operations to other instances of the system, for web pages, which can call only
// their own server. The other instance authorizes the operation itself, by the operator's key.

import { SvcError } from "../../base/errors.js";
import { isPlainObject } from "../../base/plain-object.js";
import type { str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { callAdminOperation } from "../../system/call-admin-operation.js";
import type { Address } from "../../system/instance-client.js";
import { controlService, serverView } from "../context.js";
import { localSystem, tlsForSystem } from "../local-system.js";

const KEY = "x-svc-admin-key";
const NAME = /^[A-Z][A-Za-z]{1,40}$/;
/** Not forwarded: tokens are requested as needed, and a forwarded `Operate` could loop. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(["GetAuthToken", "Operate"]);

/**
 * ADMIN: Run an operation on another instance of the system.
 * @plugin ADMIN_Operate
 * @param instance id of that instance
 * @param operation name without `ADMIN_`
 * @param params parameters of the operation as a JSON object of strings
 */
export async function adminOperate(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  content: str,
  instance: str,
  operation: str,
  params: str = "{}",
): Promise<unknown> {
  const address = addressOf(instance);
  const parameters = textsOf(params);
  if (!NAME.test(operation) || NOT_FORWARDED.has(operation)) {
    throw new Error(`no operation of others: ${operation.slice(0, 50)}`);
  }
  controlService().authorise(headers, authtoken, `${operation} at ${instance}`);
  const [, key] = Object.entries(headers).find(([name]) => name.toLowerCase() === KEY) ?? [];
  const body = content === "" ? {} : { body: content };
  const call = { operation, parameters, headers: key === undefined ? {} : { [KEY]: key } };
  try {
    const result = await callAdminOperation(address, { ...call, ...body });
    return { action: "operate", instance, operation, result };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // In the format of operations that fail after the authorization.
    return `Exception(${JSON.stringify(error.message)})`;
  }
}

function addressOf(id: string): Address {
  const view = serverView();
  const system = localSystem(view);
  const target = system.instances.get(id);
  if (target === undefined) throw new Error(`no instance of this system: ${id.slice(0, 100)}`);
  return { host: target.host, port: target.hport + 1, secure: tlsForSystem(system, view) };
}

function textsOf(json: string): Readonly<Record<string, string>> {
  const parsed: unknown = JSON.parse(json);
  if (!isPlainObject(parsed)) throw new Error("params must be an object of texts");
  const entries = Object.entries(parsed);
  const invalid = entries.find(([, value]) => typeof value !== "string");
  if (invalid !== undefined) throw new Error(`params: ${invalid[0].slice(0, 50)} must be a text`);
  return Object.fromEntries(entries) as Record<string, string>;
}
