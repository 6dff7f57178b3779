// Runs plugins tagged `@inline` in the IO thread, which saves two thread switches that would take
// longer than the call itself. All other requests wait meanwhile: a plugin that is repeatedly slow
// or answers asynchronously moves to the executors permanently.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { nowMs } from "../base/clock.js";
import { DEFAULT_PLUGIN_TIMEOUT_MS, INLINE_BODY_BYTES } from "../base/limits.js";
import { limitOutputBuffer, log } from "../base/log.js";
import { RESULT_PARTIAL, RESULT_READONLY_PARTIAL } from "../base/wire/batch.js";
import type { SharedState } from "../base/wire/shared-state.js";
import type { Exchange } from "../http/transport.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { Routes } from "../plugin/contract/plugin-table.js";
import { loadFailure, raiseStackTraceLimit } from "../plugin/contract/stack-trace.js";
import { runBuiltin } from "./builtin-call.js";
import { failureMessage } from "./error-message.js";
import type { PluginRoute } from "./plugin-call.js";
import type { ResponseWriter } from "./response-writer.js";
import type { RouteTable } from "./route-table.js";

/** Time limit of one call. */
const SHORT_MS = 1;
/** Maximum event-loop lag that background work of plugins may cause. */
const BEAT_MS = 500;
/** Longer than a busy machine can explain: a single such call moves the plugin. */
const FAR_TOO_LONG_MS = 250;
/** Number of recent calls evaluated per plugin, and maximum number of slow ones among them. */
const RECENT_CALLS = 1000;
const MAX_SLOW_CALLS = 10;

/** Recent calls of a plugin. */
interface CallRecord {
  calls: number;
  long: number;
}

export class InlinePlugins {
  /** Names of all plugins ever loaded here: their timers survive a reload. */
  readonly loaded = new Set<string>();
  readonly #state: SharedState;
  readonly #writer: ResponseWriter;
  readonly #moved: () => void;
  readonly #records = new WeakMap<PluginRoute, CallRecord>();
  #loads = 0;
  #beat: NodeJS.Timeout | undefined;

  /** @param moved counts plugins moved to the executors */
  constructor(state: SharedState, writer: ResponseWriter, moved: () => void) {
    this.#state = state;
    this.#writer = writer;
    this.#moved = moved;
  }

  /** Loads the inline plugins of a build, which executors have loaded successfully. */
  async load(projectDir: string, routes: Routes, table: RouteTable): Promise<void> {
    const paths = Object.keys(routes).filter((path) => routes[path]!.inline);
    if (paths.length === 0) return;
    if (this.#loads === 0) prepareThread();
    const bundle = pathToFileURL(join(projectDir, BUILD_FOLDER, "plugins.js"));
    const load = ++this.#loads;
    this.#rest();
    bundle.search = `io=${load}`;
    try {
      const { plugins } = (await import(bundle.href)) as { plugins: readonly PluginEntry[] };
      if (load !== this.#loads) return;
      for (const path of paths) {
        const entry = plugins.find(
          (candidate) => candidate.description.path === path && candidate.role === "engine",
        );
        // Hooks may be asynchronous.
        const inline = entry?.before === undefined ? (entry ?? null) : null;
        table.setInline(path, inline);
        if (inline !== null) this.loaded.add(inline.name);
      }
    } catch (error) {
      log(
        "inline plugins run in executors because they failed to load on the IO thread: " +
          `${loadFailure(error)}`,
        "warn",
      );
    }
    this.#rest();
    this.#state.beat();
    this.#beat = setInterval(() => this.#state.beat(), BEAT_MS).unref();
  }

  /** Excludes the loading of modules from the measurement. */
  #rest(): void {
    clearInterval(this.#beat);
    this.#state.rest();
  }

  /** Returns whether a request runs here; large bodies go to the executors. */
  canRun({ inline }: PluginRoute, { body, upload = null }: Exchange): boolean {
    if (upload !== null) return false;
    if (inline === undefined || inline === null) return false;
    return body === null || body.length <= INLINE_BODY_BYTES;
  }

  /** Runs a request here. */
  run(exchange: Exchange, port: 0 | 1, route: PluginRoute, serial: number): void {
    const { basePort } = this.#state;
    const entry = route.inline!;
    const begunMs = nowMs();
    let isDone = false;
    this.#state.enterInline(route.number);
    runBuiltin(entry, exchange, port, basePort, serial, (status, kind, payload) => {
      if (isDone) return;
      isDone = true;
      const isReadonly = kind === RESULT_PARTIAL && entry.readonly;
      const sentKind = isReadonly ? RESULT_READONLY_PARTIAL : kind;
      this.#writer.result(exchange, port, 0, status, sentKind, payload);
    });
    this.#state.leaveInline();
    const tookMs = nowMs() - begunMs;
    if (tookMs > SHORT_MS) this.#validate(route, tookMs);
    else this.#findRecord(route).calls++;
    if (isDone) return;
    this.#moveToExecutors(route, "it answers later");
    const timeOut = (): void => {
      if (isDone) return;
      isDone = true;
      const message = failureMessage("timeout", route.name);
      this.#writer.refuse(exchange, port, 500, message, { execId: 0, isPlugin: true });
    };
    setTimeout(timeOut, route.timeoutMs || DEFAULT_PLUGIN_TIMEOUT_MS).unref();
  }

  #findRecord(route: PluginRoute): CallRecord {
    let record = this.#records.get(route);
    if (record === undefined || record.calls >= RECENT_CALLS) {
      record = { calls: 0, long: 0 };
      this.#records.set(route, record);
    }
    return record;
  }

  #validate(route: PluginRoute, tookMs: number): void {
    const record = this.#findRecord(route);
    record.calls++;
    record.long++;
    if (record.long > MAX_SLOW_CALLS || tookMs > FAR_TOO_LONG_MS) {
      this.#moveToExecutors(route, `took ${tookMs.toFixed(1)} ms`);
    }
  }

  #moveToExecutors(route: PluginRoute, reason: string): void {
    if (route.inline === null) return;
    route.inline = null;
    this.#moved();
    const { name } = route;
    log(`plugin ${name} moved to executors: ${reason}, too slow for @inline`, "warn", {
      plugin: name,
    });
  }
}

/** Prepares this thread for plugin code, like an executor. */
function prepareThread(): void {
  // `process.exit` in a plugin would close all connections.
  Object.assign(process, {
    ...{ exit: refuseExit, reallyExit: refuseExit, _getActiveHandles: () => [] },
    setUncaughtExceptionCaptureCallback: refuseCapture,
  });
  raiseStackTraceLimit();
  limitOutputBuffer();
}

function refuseCapture(): never {
  throw new Error("uncaught exceptions on the IO thread are logged and cannot be captured");
}

function refuseExit(): never {
  throw new Error("process.exit() is disabled for @inline plugins");
}
