// Admin operations (http-interface, "Operations"). They run in the main thread, one at a time.
// Operator input is never executed as code.

import { SvcError } from "../base/errors.js";
import { type LogLevel, setLogLevel } from "../base/log-settings.js";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { AllGraphs } from "../graph/api/all-graphs.js";
import { descriptorHash } from "../system/descriptor-hash.js";
import { planInstance } from "../system/instance-plan.js";
import { readDescriptor } from "../system/read-descriptor.js";
import type { System } from "../system/system.js";
import { checkWidth, haveEqualSlots } from "./check-width.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { HttpService, OperationResult } from "./http-service.js";
import type { Operation, Parts, ServerOwner } from "./operation.js";
import { moveSlots } from "./slot-operations.js";
import { STREAM_OPERATIONS } from "./stream-operations.js";

/** Threads inherit the slots when they start. */
const AFTER_RESTART = "apply after a restart of the process";
const PERSIST_WAIT_MS = 6000;

/** Loads the graph API on demand, because the main thread does not use it otherwise. */
async function allGraphs(): Promise<AllGraphs> {
  const { AllGraphs } = await import("../graph/api/all-graphs.js");
  return new AllGraphs();
}

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["ServiceIn", ({ service }, args) => serviceIn(service, args)],
  ["ServiceOut", ({ service }, args) => serviceOut(service, args)],
  ["Lease", ({ service }, args) => lease(service, args)],
  ["ResetMetrics", ({ service }) => resetMetrics(service)],
  ["LogLevel", (_, { level }) => changeLogLevel(level as LogLevel)],
  ["Persist", ({ graphs }) => persist(graphs)],
  ["Truncate", truncate],
  ["SetReadonly", () => runAction("system readonly", (system) => system.setReadonly())],
  ["ClearReadonly", () => runAction("system mutable", (system) => system.clearReadonly())],
  ["SuspendEvents", () => runAction("events_suspended", (system) => system.suspendEvents())],
  ["ResumeEvents", () => runAction("events_resumed", (system) => system.resumeEvents())],
  ["RunJob", ({ service }, args) => runJob(service, args)],
  ["CancelAlgorithm", ({ graphs }, args) => cancelAlgorithm(graphs, args)],
  ["ReloadPlugins", ({ owner }, args) => reload(owner, args)],
  ["SystemDescriptor", setDescriptor],
  ["MoveSlots", moveSlots],
  ["Console", (parts, args) => runConsole(parts, args)],
  ...STREAM_OPERATIONS,
]);

type StopOperation = (
  parts: Parts,
  args: ControlArguments,
) => OperationResult | Promise<OperationResult>;

/** Operations that stop the server which sends their response. */
const STOP_OPERATIONS: ReadonlyMap<string, StopOperation> = new Map<string, StopOperation>([
  ["RestartHTTP", restart],
  ["Shutdown", shutdown],
]);

/**
 * Executes an operation.
 * @throws Error whose message is returned to the operator
 */
export async function operate(
  parts: Parts,
  operation: string,
  args: ControlArguments,
): Promise<OperationResult> {
  const stopOperation = STOP_OPERATIONS.get(operation);
  if (stopOperation !== undefined) return stopOperation(parts, args);
  const found = OPERATIONS.get(operation);
  if (found === undefined) throw new Error(`unknown operation ${operation}`);
  return { value: await found(parts, args) };
}

async function runAction(action: string, act: (system: AllGraphs) => void): Promise<object> {
  act(await allGraphs());
  return { action };
}

function serviceIn(service: HttpService, { force }: ControlArguments): object {
  if (Number(force ?? 0) === 0) service.serviceIn = true;
  else service.forceService();
  return { action: "service_in" };
}

function serviceOut(service: HttpService, { reason, lease }: ControlArguments): object {
  requireLease(service, lease);
  service.leaveService(String(reason ?? "operator").slice(0, 100));
  return { action: "service_out" };
}

function changeLogLevel(level: LogLevel): object {
  return { action: "log_level", level, former: setLogLevel(level) };
}

function resetMetrics(service: HttpService): object {
  service.metrics.reset();
  return { action: "metrics_reset" };
}

async function runJob(service: HttpService, { name }: ControlArguments): Promise<object> {
  await service.runJob(String(name));
  return { action: "run_job", job: String(name), status: "started" };
}

function cancelAlgorithm({ algorithms }: GraphSupervisor, { id }: ControlArguments): object {
  const { algorithm, graph } = algorithms.cancel(Number(id));
  return { action: "cancel_algorithm", algorithm, graph, status: "cancelled" };
}

async function persist(graphs: GraphSupervisor): Promise<object> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PERSIST_WAIT_MS);
  });
  const isSaved = await Promise.race([graphs.save(), late]);
  clearTimeout(timer);
  if (isSaved === false) throw new Error("some graphs failed to save; see the log");
  return { action: "persist", status: isSaved === null ? "in progress" : "complete" };
}

async function truncate(): Promise<object> {
  const system = await allGraphs();
  for (const name of Object.keys(system.registry())) system.getGraph(name).truncate();
  return { action: "truncate" };
}

/** Loads plugins from the build; rejects a list of plugins. */
async function reload(owner: ServerOwner, { content }: ControlArguments): Promise<object> {
  const text = String(content ?? "").trim();
  if (text !== "" && text !== "[]") {
    throw new Error("plugins can only be loaded from the project's build");
  }
  return { action: "plugins_reloaded", result: await owner.reload() };
}

/**
 * Applies a changed matrix at once; becoming or ceasing to be a dispatcher requires RestartHTTP.
 */
async function setDescriptor(
  { service, graphs }: Parts,
  { content, split }: ControlArguments,
): Promise<object> {
  const newSystem = readDescriptor(JSON.parse(String(content)));
  const { id, descriptor: currentDescriptor } = service.node;
  if (id !== null && !newSystem.instances.has(id)) throw new Error(`it has no instance ${id}`);
  const currentSystem = currentDescriptor === null ? null : readDescriptor(currentDescriptor);
  const slotPlan = id === null ? null : planInstance(newSystem, id).slots;
  // All owners remain, so each vertex keeps exactly one owner for any number of partitions.
  const isCovered = slotPlan !== null && graphs.slots?.accepts(slotPlan) === true;
  if (id !== null && currentSystem !== null && Number(split ?? 0) === 0 && !isCovered) {
    await checkWidth(currentSystem, newSystem, id, service.settings.projectDir);
  }
  const matrix = id === null ? "unchanged" : await changeMatrix(service, newSystem, id);
  if (isCovered) graphs.slots?.replan(slotPlan);
  const { descriptor } = newSystem;
  service.setNode({ descriptor, descriptorHash: descriptorHash(descriptor) });
  const isSame = isCovered || currentSystem === null || haveEqualSlots(currentSystem, newSystem);
  const slots = isSame ? "unchanged" : AFTER_RESTART;
  return { action: "system descriptor updated", matrix, slots };
}

async function changeMatrix(service: HttpService, newSystem: System, id: string): Promise<string> {
  const { dispatcher } = planInstance(newSystem, id);
  if (JSON.stringify(dispatcher) === JSON.stringify(service.dispatcher)) return "unchanged";
  if (dispatcher === null || service.dispatcher === null) return "applies after RestartHTTP";
  await service.setDispatcher(dispatcher);
  return "changed";
}

function restart({ service, owner }: Parts): OperationResult {
  const { id, descriptor } = service.node;
  const system = descriptor === null ? null : readDescriptor(descriptor);
  const planned = id === null || system === null ? null : planInstance(system, id).dispatcher;
  const dispatcher = system === null ? service.dispatcher : planned;
  return {
    value: { action: "restart_http", status: "in progress" },
    after: () => void owner.restart(dispatcher),
  };
}

/** Saves the graphs first, and unlike a signal, aborts the shutdown if this fails. */
async function shutdown(
  { owner, graphs }: Parts,
  { persist: isSaved }: ControlArguments,
): Promise<OperationResult> {
  if (Number(isSaved) !== 0 && !(await graphs.save())) {
    throw new Error("shutdown aborted: some graphs failed to save; see the log");
  }
  return {
    value: { action: "shutdown", status: "going offline" },
    after: () => {
      if (Number(isSaved) === 0) graphs.giveUpSaving();
      owner.shutdown();
    },
  };
}

/** Runs operations without arguments, separated by `;`. */
async function runConsole(parts: Parts, { content }: ControlArguments): Promise<object> {
  const commands = String(content)
    .split(";")
    .map((command) => command.trim().replace(/\(\)$/, ""))
    .filter((command) => command !== "");
  const result: unknown[] = [];
  for (const command of commands.slice(0, 100)) {
    if (command === "dir") result.push([...OPERATIONS.keys()].sort());
    else if (command === "Console") result.push('Exception("not within itself")');
    else result.push(await runCommand(parts, command));
  }
  return { action: commands.slice(0, 100), result };
}

async function runCommand(parts: Parts, command: string): Promise<unknown> {
  const [name = "", goal] = command.split(/\s+/);
  const operation = OPERATIONS.get(name);
  if (operation === undefined) return `Exception(${JSON.stringify(`unknown: ${command}`)})`;
  try {
    return await operation(parts, goal === undefined ? {} : { goal });
  } catch (error) {
    const { message } = error as Error;
    const text = error instanceof SvcError ? `${error.code}: ${message}` : message;
    return `Exception(${JSON.stringify(text)})`;
  }
}

const MAX_SECONDS = 300;
const HOLDER = /^[0-9a-f]{16,64}$/;
const MAX_TEXT = 100;

/** Acquires, renews or, with 0 seconds, releases the lease. */
function lease(service: HttpService, args: ControlArguments): object {
  const holder = String(args.holder);
  const seconds = Number(args.seconds);
  if (!HOLDER.test(holder)) throw new Error("holder: 16 to 64 hexadecimal digits are required");
  if (!(seconds >= 0 && seconds <= MAX_SECONDS)) {
    throw new Error(`seconds: 0 to ${MAX_SECONDS} are required`);
  }
  if (seconds === 0) {
    service.lease.release(holder);
    return { action: "lease", status: "released" };
  }
  const [what, operator] = [sanitize(args.what), sanitize(args.operator)];
  const isForced = Number(args.force) !== 0;
  const refusal = service.lease.take({ holder, seconds, isForced, what, operator });
  if (refusal === null) return { action: "lease", status: "granted" };
  const { sinceMs, leftSeconds, ...held } = refusal;
  return { action: "lease", status: "held", ...held, since: sinceMs / 1000, seconds: leftSeconds };
}

/** @throws Error for a step of a procedure that has lost its lease */
function requireLease(service: HttpService, holder: unknown): void {
  if (holder === undefined || holder === "" || service.lease.isHeldBy(String(holder))) return;
  throw new Error("lease lost on this instance");
}

/** Returns text safe for other operators' terminals and logs. */
function sanitize(text: unknown): string {
  const plain = String(text ?? "").replace(/[^\x20-\x7e]/g, "?");
  return plain.slice(0, MAX_TEXT) || "somebody";
}
