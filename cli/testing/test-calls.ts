// Calls in tests: typed by the build of the project, and sent like those of a generated client.

import type { Argspec } from "../../argspec/argspec.js";
import { listOperations } from "../../argspec/operations.js";
import { Connection } from "../../client/typescript/connection.js";
import type { Operation } from "../../client/typescript/operation.js";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";
import type { Fetch } from "./test-settings.js";

export interface TestCallOptions {
  readonly headers?: Record<string, string>;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Time limit of the whole call, by the system clock; 0: none. Default 60000. */
  readonly timeoutMs?: number;
}

/** Untyped calls; `.svc/plugins.d.ts` types them: `testService<PluginRegistry>`. */
export type TestCalls = Readonly<Record<string, { query: object; result: unknown }>>;

/** Plugins without parameters have a query of any name and no value. */
type Query<Call> = Call extends { query: infer T } ? (string extends keyof T ? object : T) : object;
type Params<Call> = Query<Call> &
  (Call extends { content: infer Content } ? { readonly content: Content } : unknown);
type Result<Call> = Call extends { result: infer T } ? T : unknown;

export interface Callable<Calls> {
  /**
   * Calls a plugin like a generated client and waits for its result.
   * @throws SvcError of clients, with the status and the message
   */
  call<Name extends keyof Calls & string>(
    name: Name,
    params?: Params<Calls[Name]>,
    options?: TestCallOptions,
  ): Promise<Result<Calls[Name]>>;
}

/** Calls within one process are quick; the plugin's own timeout reports a hang. */
const CALL_TIMEOUT_MS = 60_000;

export function createCalls<Calls>(argspec: Argspec, fetch: Fetch): Callable<Calls>["call"] {
  const connection = new Connection(
    { baseUrl: "http://localhost", fetch, retries: 0, timeoutMs: CALL_TIMEOUT_MS },
    argspec.hash,
  );
  const operations = new Map<string, Operation>();
  return async (name, params, options) => {
    const operation = operations.get(name) ?? operationFor(argspec, name);
    operations.set(name, operation);
    return (await connection.call(operation, params as object | undefined, options)) as never;
  };
}

/**
 * Describes an operation as a generated client would.
 * @throws SvcError SVC2944 if the project has no plugin of that name
 */
function operationFor(argspec: Argspec, name: string): Operation {
  const operations = listOperations(argspec);
  const operation = operations.find((operation) => operation.name === name);
  if (operation === undefined) {
    const names = operations.map((operation) => operation.name);
    throw new SvcError("SVC2944", `the project has no plugin ${name}${didYouMean(name, names)}`);
  }
  const { path, params, content, readonly } = operation;
  const json = params.filter(({ wire }) => wire === "json").map((param) => param.name);
  const form = content?.wire;
  return {
    ...{ path, json, readonly },
    ...(form === "bytes" || form === "str" || form === "json" ? { content: form } : {}),
  };
}
