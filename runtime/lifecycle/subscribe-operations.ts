// Operations with which a subscriber requests that a provider attaches or detaches it. Providers
// must be instances of the descriptor, because they receive the admin key.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import { KEY_HEADER } from "../http/operator-auth.js";
import { callAdminOperation } from "../system/call-admin-operation.js";
import { readDescriptor } from "../system/read-descriptor.js";
import type { System } from "../system/system.js";
import { TlsContextCache } from "../system/tls-context-cache.js";
import type { HttpService } from "./http-service.js";
import type { Parts } from "./operation.js";

const MAX_WAIT_MS = 90_000;
const URI = /^(?:svc:\/\/)?\[?([\w.:-]+?)\]?:(\d{1,5})\/?$/;

type Parameters = Readonly<Record<string, string>>;

/** Providers that services have subscribed to at run time, in place of that of the descriptor. */
const subscriptions = new WeakMap<HttpService, string>();

/** @throws Error if the provider is not in the descriptor, or without a tx port */
export async function subscribe(
  parts: Parts,
  { uri, hardsync, timeout }: ControlArguments,
): Promise<object> {
  const { service } = parts;
  const { system } = requireSystem(service);
  const provider = findInstance(system, String(uri));
  const address = ownAddress(parts);
  const callProvider = (operation: string, parameters: Parameters) =>
    operate(service, system, provider, operation, parameters);
  await withTimeout(timeout, callProvider("Attach", { uri: address }));
  subscriptions.set(service, provider);
  if (Number(hardsync) !== 0) await withTimeout(timeout, callProvider("Sync", { mode: "hard" }));
  return { provider: uri, subscriber: address, action: "subscribed" };
}

/** @throws Error without a provider */
export async function unsubscribe(parts: Parts): Promise<object> {
  const { service } = parts;
  const { system, id } = requireSystem(service);
  const provider = subscriptions.get(service) ?? system.providers.get(id);
  if (provider === undefined) throw new Error("no provider");
  const ownUri = ownAddress(parts);
  await operate(service, system, provider, "Detach", { uri: ownUri });
  subscriptions.delete(service);
  return { subscriber: ownUri, action: "unsubscribed" };
}

function requireSystem({ node }: HttpService): { readonly system: System; readonly id: string } {
  const { id, descriptor } = node;
  if (id !== null && descriptor !== null) return { system: readDescriptor(descriptor), id };
  throw new Error("this instance belongs to no system: use ADMIN_Attach on the provider");
}

function findInstance({ instances }: System, uri: string): string {
  const [, host, port] = URI.exec(uri) ?? [];
  for (const instance of instances.values()) {
    if (instance.host === host && instance.hport + 1 === Number(port)) return instance.id;
  }
  const form = "svc://host:port of the admin port of an instance of the descriptor is required";
  throw new Error(`${form}, got ${JSON.stringify(uri.slice(0, 200))}`);
}

/** Returns the replication address of this instance. */
function ownAddress({ service, graphs }: Parts): string {
  const { system, id } = requireSystem(service);
  const { txPort } = graphs.traffic.read();
  if (txPort === 0) throw new Error(`Destination has no TX input service: ${id}`);
  return `svc://${system.instances.get(id)!.host}:${txPort}`;
}

/** Calls an operation with this instance's key, which is the same in the whole system. */
function operate(
  { settings }: HttpService,
  system: System,
  id: string,
  operation: string,
  parameters: Parameters,
): Promise<unknown> {
  const { host, hport } = system.instances.get(id)!;
  const { adminKey, projectDir } = settings;
  const secure = system.tls && new TlsContextCache(system.tls, projectDir);
  const headers = adminKey === null ? {} : { [KEY_HEADER]: adminKey };
  const address = { host, port: hport + 1, secure };
  return callAdminOperation(address, { operation, parameters, headers });
}

/** @throws Error at the timeout; the operation may still complete */
async function withTimeout(timeout: unknown, done: Promise<unknown>): Promise<void> {
  const requestedMs = Number(timeout);
  const ms = requestedMs > 0 ? Math.min(requestedMs, MAX_WAIT_MS) : MAX_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`provider did not respond within ${ms} ms`)), ms);
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
