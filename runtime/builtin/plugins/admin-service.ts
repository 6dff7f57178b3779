// Admin operations (http-interface, "Operations") on the service and its graphs. They run in the
// main thread; these plugins request them.

import type { float, int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { controlService } from "../context.js";

/**
 * ADMIN: HTTP Service In.
 * @plugin ADMIN_ServiceIn
 * @param force 1: even if graphs have not caught up
 */
export function adminServiceIn(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  force: int = 0,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ServiceIn", { force });
}

/**
 * ADMIN: Reset HTTP Server Metrics.
 * @plugin ADMIN_ResetMetrics
 */
export function adminResetMetrics(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ResetMetrics");
}

/**
 * ADMIN: Set Log Level.
 * @plugin ADMIN_LogLevel
 * @param level omits entries below it, until the process ends
 */
export function adminLogLevel(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  level: "error" | "warn" | "info" | "debug",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "LogLevel", { level });
}

/**
 * ADMIN: Restart HTTP Server.
 * @plugin ADMIN_RestartHTTP
 */
export function adminRestartHTTP(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "RestartHTTP");
}

/**
 * ADMIN: Create local snapshot.
 * @plugin ADMIN_Persist
 */
export function adminPersist(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Persist");
}

/**
 * ADMIN: Delete all graph data.
 * @plugin ADMIN_Truncate
 */
export function adminTruncate(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Truncate");
}

/**
 * ADMIN: Set system readonly.
 * @plugin ADMIN_SetReadonly
 */
export function adminSetReadonly(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "SetReadonly");
}

/**
 * ADMIN: Clear system readonly.
 * @plugin ADMIN_ClearReadonly
 */
export function adminClearReadonly(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ClearReadonly");
}

/**
 * ADMIN: Suspend TTL.
 * @plugin ADMIN_SuspendEvents
 */
export function adminSuspendEvents(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "SuspendEvents");
}

/**
 * ADMIN: Resume TTL.
 * @plugin ADMIN_ResumeEvents
 */
export function adminResumeEvents(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ResumeEvents");
}

/**
 * ADMIN: HTTP Service Out.
 * @plugin ADMIN_ServiceOut
 * @param reason reason to show to other operators
 * @param lease holder of the lease; the call fails if another run has acquired it
 */
export function adminServiceOut(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  reason: str = "operator",
  lease: str = "",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ServiceOut", { reason, lease });
}

/**
 * ADMIN: Acquire, renew or release the lease that one procedure at a time holds.
 * @plugin ADMIN_Lease
 * @param holder secret id of this run, in hexadecimal
 * @param what name of the procedure, shown to others
 * @param operator operator who started it, shown to others
 * @param seconds lifetime unless renewed; 0: release it
 * @param force 1: preempt the present holder
 */
export function adminLease(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  holder: str,
  what: str = "",
  operator: str = "",
  seconds: float = 15,
  force: int = 0,
): Promise<unknown> {
  const args = { holder, what, operator, seconds, force };
  return controlService().perform(headers, authtoken, "Lease", args);
}

/**
 * ADMIN: Run a job now.
 * @plugin ADMIN_RunJob
 * @param name name of its function
 */
export function adminRunJob(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  name: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "RunJob", { name });
}

/**
 * ADMIN: Cancel an algorithm over a whole graph.
 * @plugin ADMIN_CancelAlgorithm
 * @param id its id in the result of `algorithms`
 */
export function adminCancelAlgorithm(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  id: int,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "CancelAlgorithm", { id });
}

/**
 * ADMIN: Reload Plugins.
 * @plugin ADMIN_ReloadPlugins
 */
export function adminReloadPlugins(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  content: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "ReloadPlugins", { content });
}

/**
 * ADMIN: Update system descriptor.
 * @plugin ADMIN_SystemDescriptor
 * @param split 1: the data has been split for another number of partitions
 */
export function adminSystemDescriptor(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  content: str,
  split: int = 0,
): Promise<unknown> {
  const args = { content, split };
  return controlService().perform(headers, authtoken, "SystemDescriptor", args);
}

/**
 * ADMIN: Execute a command of a move of slots.
 * @plugin ADMIN_MoveSlots
 * @param lease holder of the lease, for commands that change something
 */
export function adminMoveSlots(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  content: str,
  lease: str = "",
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "MoveSlots", { content, lease });
}

/**
 * ADMIN: Console access to the operations of the system.
 * @plugin ADMIN_Console
 * @param graph graph that commands apply to
 */
export function adminConsole(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  graph: str,
  content: str,
): Promise<unknown> {
  return controlService().perform(headers, authtoken, "Console", { graph, content });
}

/**
 * ADMIN: Shutdown.
 * @plugin ADMIN_Shutdown
 * @param authshutdown token obtained before `authtoken`
 * @param persist 1: save all graphs
 */
export function adminShutdown(
  _request: PluginRequest,
  headers: Record<string, string>,
  authtoken: str,
  authshutdown: str,
  persist: int = 0,
): Promise<unknown> {
  const args = { persist };
  return controlService().performTwice(headers, authtoken, authshutdown, "Shutdown", args);
}

/**
 * ADMIN: Get a new token to allow one admin operation.
 * @plugin ADMIN_GetAuthToken
 */
export function adminGetAuthToken(_request: PluginRequest, headers: Record<string, string>) {
  return controlService().issue(headers);
}
