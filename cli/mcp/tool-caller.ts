// Calls plugins as tools: validates arguments, calls through the shared client runtime, and
// validates the response. Models and servers are untrusted. Failures are results too, phrased for a
// model.

import { Script } from "node:vm";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { Argspec, JsonSchema } from "../../argspec/argspec.js";
import { clientOperation } from "../../argspec/client-operation.js";
import { plainResultSchema } from "../../argspec/mcp/tool-schemas.js";
import { buildTools, type McpTool, type Tool, type ToolSet } from "../../argspec/mcp/tools.js";
import type { Operation } from "../../argspec/operations.js";
import type { Connection } from "../../client/typescript/connection.js";
import type { Operation as ClientOperation } from "../../client/typescript/operation.js";
import type { CallOptions } from "../../client/typescript/options.js";
import { SvcError } from "../../client/typescript/svc-error.js";
import { bodyResult, errorResult, successResult, type ToolResult } from "./tool-result.js";

/** Limits patterns of a server, which may backtrack for a very long time. */
const CHECK_MS = 1000;
/** A script, because only the code of a script can be interrupted. */
const CALL = new Script("check()");

/** Limits a stream, which may be endless. */
const MAX_PIECES = 1000;
/** Deeper values would exhaust the stack of validators and serializers. */
const MAX_DEPTH = 500;
const DEEP_ARGUMENTS = `the arguments are nested more than ${MAX_DEPTH} levels deep`;
const DEEP_RESULT = `the result is nested more than ${MAX_DEPTH} levels deep, ask for less`;

type Arguments = Readonly<Record<string, unknown>>;

export class ToolCaller {
  readonly #set: ToolSet;
  readonly #connection: Connection;
  readonly #$defs: Argspec["$defs"];
  readonly #running = new Set<Promise<unknown>>();
  /** Interprets schemas, because those of a server must not become code. */
  readonly #validator = new CfWorkerJsonSchemaValidator();

  constructor(argspec: Argspec, connection: Connection) {
    this.#set = buildTools(argspec);
    this.#connection = connection;
    this.#$defs = argspec.$defs;
  }

  get tools(): readonly Tool[] {
    return [...this.#set.tools.values()].map(({ tool }) => tool);
  }

  get leftOut(): ToolSet["leftOut"] {
    return this.#set.leftOut;
  }

  /**
   * Returns the result of a call, and never rejects; null if there is no such tool.
   * @param signal aborts the call
   */
  call(name: string, args: Arguments, signal: AbortSignal): Promise<ToolResult> | null {
    const entry = this.#set.tools.get(name);
    if (entry === undefined) return null;
    const running = this.#call(entry, args, signal).catch(failure);
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
    return running;
  }

  /** Resolves when no call is running. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #call({ tool, operation }: McpTool, args: Arguments, signal: AbortSignal) {
    if (isTooDeep(args)) return errorResult("parameter", [DEEP_ARGUMENTS]);
    const fault = this.#faultOf(args, tool.inputSchema);
    if (fault !== null) return errorResult("parameter", [fault]);
    const params = withBytes(args, operation);
    if (typeof params === "string") return errorResult("parameter", [params]);
    // No timeout: the MCP client has its own and cancels the call.
    const options = { signal, timeoutMs: 0 };
    const called = clientOperation(operation);
    if (operation.result.kind === "http") return this.#callHttp(called, params, options);
    const response =
      operation.result.kind === "stream"
        ? await allOf(this.#connection.stream(called, params, options))
        : await this.#connection.call(called, params, options);
    if (isTooDeep(response)) return errorResult("answer", [DEEP_RESULT]);
    const { outputSchema } = tool;
    const declared = outputSchema ?? plainResultSchema(operation, this.#$defs);
    const mismatch = declared === null ? null : this.#faultOf(response, declared);
    if (mismatch === null) return successResult(response, outputSchema !== undefined);
    const json = JSON.stringify(response);
    return errorResult("answer", [`does not match the declared type: ${mismatch}`, json]);
  }

  async #callHttp(operation: ClientOperation, params: Arguments, options: CallOptions) {
    const result = await this.#connection.readHttp(operation, params, options);
    if (result.response !== null) {
      const { status, type, headers } = result.response;
      const location = headers.get("location");
      const bytes = await result.response.bytes();
      return bodyResult({ path: operation.path, status, type, location, bytes });
    }
    if (isTooDeep(result.value)) return errorResult("answer", [DEEP_RESULT]);
    return successResult(result.value, false);
  }

  /** Returns why a value is invalid, or null. */
  #faultOf(value: unknown, schema: JsonSchema): string | null {
    const check = this.#validator.getValidator(schema);
    const { valid, errorMessage } = bounded(() => check(withoutPrototypes(value)));
    return valid ? null : (errorMessage ?? "not valid");
  }
}

/** Interrupts a validation that takes too long. */
function bounded<T>(check: () => T): T {
  try {
    return CALL.runInNewContext({ check }, { timeout: CHECK_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new Error(`type check exceeded ${CHECK_MS} ms: check the patterns of the type`);
  }
}

/** Iterative, because deep values would overflow the stack. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((part) => (typeof part === "object" && part ? Object.values(part) : []));
  }
  return false;
}

/** Returns a copy without inherited members. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototypes(member);
  return copy;
}

/** Returns the arguments with bytes in place of base64, or a problem. */
function withBytes(args: Arguments, { params, content }: Operation): Arguments | string {
  const inputs = content === null ? params : [...params, content];
  const decoded = new Map<string, Uint8Array>();
  for (const { name, wire } of inputs) {
    if (wire !== "bytes" || !Object.hasOwn(args, name)) continue;
    const bytes = bytesOf(args[name]);
    if (bytes === null) return `${name}: expected base64`;
    decoded.set(name, bytes);
  }
  return { ...args, ...Object.fromEntries(decoded) };
}

/** Collects a stream, because tools return only once. */
async function allOf(pieces: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const piece of pieces) {
    all.push(piece);
    if (all.length >= MAX_PIECES) break;
  }
  return all;
}

/** Returns null unless it is valid base64: plain text would silently be decoded to nonsense. */
function bytesOf(value: unknown): Uint8Array | null {
  const bytes = Buffer.from(String(value), "base64");
  return bytes.toString("base64") === value ? bytes : null;
}

function failure(error: unknown): ToolResult {
  if (!(error instanceof SvcError)) return errorResult("client", [String(error)]);
  const { kind, message, exception, chain, details } = error;
  // An error of a back-end has the innermost message and the partitions through which it passed.
  const levels = chain.map(
    ({ partition, width, status }) =>
      `partition ${partition} of ${width} answered with status ${status}`,
  );
  const thrown = exception === null ? [] : [`exception: ${exception}`];
  const data = details === null || details === undefined ? [] : [`details: ${textOf(details)}`];
  return errorResult(kind, [message, ...thrown, ...data, ...levels]);
}

function textOf(details: unknown): string {
  return isTooDeep(details) ? DEEP_RESULT : JSON.stringify(details);
}
