// A built project as a service within the process of a test: the code that serves clients, from the
// head of a request to the last byte of its answer, with neither a socket nor a port. Its data are
// in a folder of its own, which goes when the service ends.

/// <reference lib="esnext.disposable" preserve="true" />

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Argspec } from "../../argspec/argspec.js";
import { Connection } from "../../client/typescript/connection.js";
import type { Operation } from "../../client/typescript/operation.js";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import { configureLog } from "../../runtime/base/log-settings.js";
import { equipThread, threadContext } from "../../runtime/base/thread-context.js";
import { bindGraphs } from "../../runtime/graph/api/bind-graphs.js";
import { ThreadGraphs } from "../../runtime/graph/keeper/thread-graphs.js";
import { MAIN_THREAD } from "../../runtime/graph/keeper/thread-numbers.js";
import { GraphSupervisor } from "../../runtime/lifecycle/graph-supervisor.js";
import { HttpService } from "../../runtime/lifecycle/http-service.js";
import type { PluginEntry } from "../../runtime/plugin/contract/plugin-entry.js";
import { loadFailure } from "../../runtime/plugin/contract/traceback.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";
import { loader, readBuild } from "../serving/built-project.js";
import { currentConfig } from "../serving/current-config.js";
import { resolveSettings } from "../serving/resolve-settings.js";
import { operationFor } from "./call-operation.js";
import { startInThisThread } from "./memory-thread.js";
import { MemoryTransport } from "./memory-transport.js";
import { requestFrom } from "./request-from.js";

export interface TestOptions {
  /** Builds the project first, where that is not current. Default true. */
  readonly build?: boolean;
  /** Settings in place of those of the project, by the names that `startHTTP` gives them. */
  readonly settings?: Partial<Pick<ServerSettings, "prefix" | "servicein" | "traceback" | "cors">>;
}

export interface TestCallOptions {
  readonly headers?: Record<string, string>;
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Of the whole call; 0: none. Default 60000. */
  readonly timeoutMs?: number;
}

/** Any calls; those of `.svc/plugins.d.ts` are typed: `testService<PluginRegistry>`. */
export type TestCalls = Readonly<Record<string, { query: object; result: unknown }>>;

/** Plugins without parameters have a query of any name and no value. */
type Query<Call> = Call extends { query: infer T } ? (string extends keyof T ? object : T) : object;
type Params<Call> = Query<Call> &
  (Call extends { content: infer Content } ? { readonly content: Content } : unknown);
type Result<Call> = Call extends { result: infer T } ? T : unknown;

export interface TestService<Calls> extends AsyncDisposable {
  /**
   * Calls a plugin as a generated client does, and waits for its result.
   * @throws SvcError of clients, with the status and what the answer says
   */
  call<Name extends keyof Calls & string>(
    name: Name,
    params?: Params<Calls[Name]>,
    options?: TestCallOptions,
  ): Promise<Result<Calls[Name]>>;
  /** As the global `fetch`, for paths of this service; generated clients take it as `fetch`. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The same for paths of the admin port. */
  readonly fetchAdmin: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends it: what runs is answered, then its data are gone. */
  close(): Promise<void>;
}

/** Answers within one process never take long; a plugin that hangs is told by its time-out. */
const CALL_TIMEOUT_MS = 60_000;

/**
 * Starts a project as a service that only this process can ask. There is one at a time.
 * @param folder of the project
 * @throws SvcError SVC2203 where there is one already, SVC2944 for a project that does not build,
 *   SVC2201 for plugins that do not load
 * @example
 * await using service = await testService<PluginRegistry>(".");
 * await service.call("hello", { name: "you" });
 */
export async function testService<Calls = TestCalls>(
  folder = ".",
  options: TestOptions = {},
): Promise<TestService<Calls>> {
  if (threadContext().graphs !== null) {
    throw new SvcError("SVC2203", "a service runs in this process already: close it first");
  }
  const projectDir = resolve(folder);
  if (options.build !== false) await build(projectDir);
  const root = await mkdtemp(join(tmpdir(), "svc-test-"));
  try {
    return await start<Calls>(projectDir, root, options);
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

async function build(projectDir: string): Promise<void> {
  const [{ buildProject }, { findingsText }] = await Promise.all([
    import("../../compiler/build.js"),
    import("../frame/report-build.js"),
  ]);
  const { ok, diagnostics } = await buildProject(projectDir);
  if (ok) return;
  const text = findingsText(projectDir, diagnostics);
  throw new SvcError("SVC2944", `${projectDir} does not build:\n${text}`);
}

async function start<Calls>(
  projectDir: string,
  root: string,
  options: TestOptions,
): Promise<TestService<Calls>> {
  const manifest = readBuild(projectDir);
  const config = await currentConfig(projectDir, manifest);
  const resolved = await resolveSettings(projectDir, config, { root });
  const settings: ServerSettings = {
    ...{ ...resolved, tls: null, drain: 0, stopTimeout: 1, saveEvery: 0, log: "off" },
    ...{ logLevel: resolved.logLevel === "info" ? "warn" : resolved.logLevel },
    ...options.settings,
  };
  configureLog(settings.logFormat, settings.logLevel);
  const { table } = loader(projectDir, undefined)();
  const plugins = await pluginsOf(projectDir);
  const numbered: (PluginEntry | undefined)[] = [];
  for (const entry of plugins) {
    const number = table.routes[entry.description.path]?.[entry.role];
    if (number !== undefined) numbered[number] = entry;
  }
  const graphs = new GraphSupervisor(settings);
  const threadGraphs = new ThreadGraphs(MAIN_THREAD, graphs);
  equipThread({ graphs: threadGraphs, bindGraph: bindGraphs(threadGraphs) });
  const transport = new MemoryTransport();
  const end = async (): Promise<void> => {
    equipThread({ graphs: null, bindGraph: null, server: null, control: null });
    await graphs.close({ isSaved: false });
  };
  try {
    await graphs.loaded;
    const main = { entries: () => numbered, table: () => table };
    const service = await HttpService.startInMain(settings, main, graphs, (data) =>
      startInThisThread(data, transport),
    );
    const text = await readFile(join(projectDir, BUILD_FOLDER, "argspec.json"), "utf8");
    return serviceOf<Calls>(transport, JSON.parse(text) as Argspec, async () => {
      await service.stop();
      await end();
      await rm(root, { recursive: true, force: true });
    });
  } catch (error) {
    await end();
    throw error;
  }
}

async function pluginsOf(projectDir: string): Promise<readonly PluginEntry[]> {
  const url = pathToFileURL(join(projectDir, BUILD_FOLDER, "plugins.js"));
  try {
    return ((await import(url.href)) as { plugins: readonly PluginEntry[] }).plugins;
  } catch (error) {
    throw new SvcError("SVC2201", `plugins cannot be loaded: ${loadFailure(error)}`);
  }
}

function serviceOf<Calls>(
  transport: MemoryTransport,
  argspec: Argspec,
  end: () => Promise<void>,
): TestService<Calls> {
  const fetchFrom =
    (offset: 0 | 1): TestService<Calls>["fetch"] =>
    async (url, init) =>
      transport.request(offset, await requestFrom(url, init));
  const fetch = fetchFrom(0);
  const connection = new Connection(
    { baseUrl: "http://localhost", fetch, retries: 0, timeoutMs: CALL_TIMEOUT_MS },
    argspec.hash,
  );
  const operations = new Map<string, Operation>();
  let ended: Promise<void> | null = null;
  const close = (): Promise<void> => (ended ??= end());
  return {
    call: async (name, params, options) => {
      const operation = operations.get(name) ?? operationFor(argspec, name);
      operations.set(name, operation);
      const given = params as object | undefined;
      return (await connection.call(operation, given, options)) as never;
    },
    fetch,
    fetchAdmin: fetchFrom(1),
    close,
    [Symbol.asyncDispose]: close,
  };
}
