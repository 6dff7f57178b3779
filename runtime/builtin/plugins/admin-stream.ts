// Admin operations (http-interface, "Operations") on the stream of transactions. They run in the
// main thread; these plugins request them.

import type { float, int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { controlService } from "../context.js";

/**
 * ADMIN: Suspend Transaction Input.
 * @plugin ADMIN_SuspendTxInput
 */
export function adminSuspendTxInput(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "SuspendTxInput");
}

/**
 * ADMIN: Resume Transaction Input.
 * @plugin ADMIN_ResumeTxInput
 */
export function adminResumeTxInput(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ResumeTxInput");
}

/**
 * ADMIN: Suspend Transaction Output.
 * @plugin ADMIN_SuspendTxOutput
 */
export function adminSuspendTxOutput(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "SuspendTxOutput");
}

/**
 * ADMIN: Resume Transaction Output.
 * @plugin ADMIN_ResumeTxOutput
 */
export function adminResumeTxOutput(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ResumeTxOutput");
}

/**
 * ADMIN: System unbind.
 * @plugin ADMIN_Unbind
 */
export function adminUnbind(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Unbind");
}

/**
 * ADMIN: Detach all subscribers.
 * @plugin ADMIN_DetachAll
 */
export function adminDetachAll(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "DetachAll");
}

/**
 * ADMIN: Unsubscribe from provider.
 * @plugin ADMIN_Unsubscribe
 */
export function adminUnsubscribe(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Unsubscribe");
}

/**
 * ADMIN: Cancel Synchronize subscribers.
 * @plugin ADMIN_CancelSync
 */
export function adminCancelSync(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "CancelSync");
}

/**
 * ADMIN: Attach a subscriber.
 * @plugin ADMIN_Attach
 * @param uri `svc://host:port` of its transaction port
 */
export function adminAttach(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  uri: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Attach", { uri });
}

/**
 * ADMIN: Detach a subscriber.
 * @plugin ADMIN_Detach
 * @param uri `svc://host:port` of its transaction port
 */
export function adminDetach(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  uri: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Detach", { uri });
}

/**
 * ADMIN: System bind.
 * @plugin ADMIN_Bind
 * @param port port that receives transactions
 * @param durable 1: write them to the transaction log
 */
export function adminBind(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  port: int,
  durable: int = 0,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Bind", { port, durable });
}

/**
 * ADMIN: Subscribe to provider.
 * @plugin ADMIN_Subscribe
 * @param uri `svc://host:port` of its admin port
 * @param hardsync 1: discard the local graphs first
 * @param timeout time limit in milliseconds
 */
export function adminSubscribe(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  uri: str,
  hardsync: int = 0,
  timeout: int = 30000,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Subscribe", { uri, hardsync, timeout });
}

/**
 * ADMIN: Synchronize subscribers.
 * @plugin ADMIN_Sync
 * @param mode repair, hard or soft
 */
export function adminSync(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  mode: str = "repair",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Sync", { mode });
}

/**
 * ADMIN: Throttle TX input rate.
 * @plugin ADMIN_Throttle
 * @param rate units per second; negative: return the rate without changing it
 * @param unit bytes, opcodes, operations or transactions
 */
export function adminThrottle(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  rate: float = -1,
  unit: str = "bytes",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Throttle", { rate, unit });
}

/**
 * ADMIN: Update Subscribers.
 * @plugin ADMIN_UpdateSubscribers
 * @param goal JSON list of admin ports as host:port
 */
export function adminUpdateSubscribers(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  content: str,
  goal: str = "[]",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "UpdateSubscribers", { content, goal });
}
