// One call of a plugin: convert, call, await, render. Every return value and error becomes exactly
// one result; no error escapes from here.

import { isParameterError, SvcError } from "../../base/errors.js";
import { isThenable } from "../../base/thenable.js";
import type { BoundGraph } from "../contract/bound-graph.js";
import { isInstance } from "../contract/describe-error.js";
import type { PluginEntry } from "../contract/plugin-entry.js";
import type { RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { type PluginRequest, requestFrom } from "../request/plugin-request.js";
import { PluginResponse } from "../response/plugin-response.js";
import { DeferredGraph, runBefore } from "./before.js";
import { bindMerged, type Merging } from "./forwarding.js";
import { takeBoundGraphs } from "./graph-binding.js";
import { type Done, sendError, sendMessage, sendThrown } from "./plugin-errors.js";
import { NO_STREAM_TO_DISPATCHER, renderPost } from "./render.js";
import { type Renderer, rendererFor, typedRenderer } from "./renderers.js";
import { reportThrown } from "./report-thrown.js";
import { isStream, type StreamEvents, StreamSender } from "./stream-sender.js";
import { type DeferredCall, isDeferredCall } from "./validate-arguments.js";

/**
 * Calls an engine plugin. `done` is called once: synchronously for a synchronous function,
 * otherwise when its promise settles.
 * @param entry undefined if the plugin was removed while the request was in progress
 * @returns the graph that the request continues to use, null for none
 */
export function runPlugin(
  entry: PluginEntry | undefined,
  source: RequestSource,
  done: Done,
): BoundGraph | null {
  if (entry === undefined) {
    sendUndefined(source, done);
    return null;
  }
  const renderer = rendererFor(entry);
  const request = requestFrom(source, entry.readers);
  if (entry.before === undefined) return run(entry, request, renderer, source, done);
  let result: unknown;
  try {
    result = runBefore(entry.before, request);
  } catch (thrown) {
    sendSyncError(thrown, entry, source, done);
    return null;
  }
  if (isThenable(result)) {
    const held = new DeferredGraph();
    runLater(result, entry, request, renderer, source, held, done);
    return held;
  }
  if (result === undefined) return run(entry, request, renderer, source, done);
  renderer.render(result, source.accept, done, source);
  return null;
}

/** @param held released when the request has completed: the plugin is no longer called then */
async function runLater(
  pending: unknown,
  entry: PluginEntry,
  request: PluginRequest,
  renderer: Renderer,
  source: RequestSource,
  held: DeferredGraph,
  done: Done,
): Promise<void> {
  let result: unknown;
  try {
    result = await pending;
  } catch (thrown) {
    return sendSyncError(thrown, entry, source, done);
  }
  if (held.isReleased) return;
  if (result === undefined) held.bind(run(entry, request, renderer, source, done));
  else renderer.render(result, source.accept, done, source);
}

/** Calls a post-processor; otherwise like `runPlugin`. */
export function runPost(
  entry: PluginEntry | undefined,
  source: RequestSource,
  partial: Uint8Array,
  merging: Merging,
  done: Done,
): BoundGraph | null {
  if (entry === undefined) {
    sendUndefined(source, done);
    return null;
  }
  let response: PluginResponse;
  try {
    response = PluginResponse.deserialize(partial);
  } catch (error) {
    // Dispatchers trust items to be valid JSON.
    sendMessage(done, source.accept, 500, (error as Error).message);
    return null;
  }
  bindMerged(response, source, merging);
  const { encodeResult: encode } = entry;
  const plain: Renderer = {
    render: (value, accept, send) => renderPost(value, response, accept, send),
    itemFault: () => null,
  };
  const renderer = encode === undefined ? plain : typedRenderer(plain, encode);
  return run(entry, response, renderer, source, done);
}

function run(
  entry: PluginEntry,
  argument: PluginRequest | PluginResponse,
  renderer: Renderer,
  source: RequestSource,
  done: Done,
): BoundGraph | null {
  let result: unknown;
  let pending = false;
  try {
    result = entry.invoke(argument as PluginRequest, source);
    pending = isThenable(result);
  } catch (thrown) {
    takeBoundGraphs()?.release();
    sendSyncError(thrown, entry, source, done);
    return null;
  }
  const bound = takeBoundGraphs();
  if (pending) {
    finishLater(result, entry, renderer, source, bound, done);
    return bound;
  }
  if (isDeferredCall(result)) {
    const held = new DeferredGraph();
    held.bind(bound);
    callLater(result, entry, renderer, source, held, bound, done);
    return held;
  }
  finish(result, entry, renderer, source, bound, done);
  return null;
}

/**
 * Calls a plugin when its schemas have accepted the arguments, unless the request has completed.
 */
async function callLater(
  deferred: DeferredCall,
  entry: PluginEntry,
  renderer: Renderer,
  source: RequestSource,
  held: DeferredGraph,
  bound: BoundGraph | null,
  done: Done,
): Promise<void> {
  let result: unknown = deferred;
  let currentGraph = bound;
  let releaseForm: (() => void) | null = null;
  try {
    while (isDeferredCall(result)) {
      await result.checked;
      releaseForm ??= result.release;
      if (held.isReleased) return releaseForm?.();
      result = result.call();
      // Arguments that wait for a form are converted only now.
      currentGraph = takeBoundGraphs() ?? currentGraph;
    }
  } catch (thrown) {
    (takeBoundGraphs() ?? currentGraph)?.release();
    releaseForm?.();
    return sendSyncError(thrown, entry, source, done);
  }
  if (releaseForm !== null) currentGraph = releasedWith(currentGraph, releaseForm);
  if (currentGraph !== bound) held.bind(currentGraph);
  if (isThenable(result)) await finishLater(result, entry, renderer, source, currentGraph, done);
  else finish(result, entry, renderer, source, currentGraph, done);
}

/** Returns a graph whose release also releases the form. */
function releasedWith(bound: BoundGraph | null, releaseForm: () => void): BoundGraph {
  const release = (): void => {
    releaseForm();
    bound?.release();
  };
  return { graph: bound?.graph ?? null, release };
}

/** Answers with a result, or starts a stream. */
function finish(
  result: unknown,
  entry: PluginEntry,
  renderer: Renderer,
  source: RequestSource,
  bound: BoundGraph | null,
  done: Done,
): void {
  if (source.streams && isStream(result)) {
    sendStream(result, entry, source, bound, done, renderer);
  } else if (source.accept === "partial" && isStream(result)) {
    sendMessage(releaseFirst(bound, done), "partial", 400, NO_STREAM_TO_DISPATCHER);
  } else renderer.render(result, source.accept, releaseFirst(bound, done), source);
}

/**
 * Releases the graph after rendering, which may still read it, but before the client gets the
 * response: the request must not hold locks then.
 */
function releaseFirst(bound: BoundGraph | null, done: Done): Done {
  if (bound === null) return done;
  return (status, kind, payload) => {
    try {
      bound.release();
    } finally {
      done(status, kind, payload);
    }
  };
}

async function finishLater(
  pending: unknown,
  entry: PluginEntry,
  renderer: Renderer,
  source: RequestSource,
  bound: BoundGraph | null,
  done: Done,
): Promise<void> {
  let result: unknown;
  try {
    result = await pending;
  } catch (thrown) {
    // Arguments were converted before, so even a ParameterError comes from the plugin.
    bound?.release();
    sendLate(thrown, source, done, entry);
    return;
  }
  finish(result, entry, renderer, source, bound, done);
}

function sendSyncError(
  thrown: unknown,
  entry: PluginEntry,
  source: RequestSource,
  done: Done,
): void {
  const { accept } = source;
  if (isParameterError(thrown)) {
    // A LookupError is a valid parameter that names a missing object, such as a plugin.
    const status = thrown.exceptionName === "LookupError" ? 404 : 400;
    sendError(done, accept, status, "svc", thrown.exceptionName, thrown.message);
  } else sendLate(thrown, source, done, entry);
}

function sendLate(thrown: unknown, source: RequestSource, done: Done, entry?: PluginEntry): void {
  const clientFault = entry?.errorStatus?.(thrown) ?? null;
  if (clientFault === null) reportThrown(thrown, source);
  sendThrown(done, source.accept, clientFault ?? statusOf(thrown), "plugin", thrown);
}

const EVENT_STREAM = /\btext\/event-stream\b/i;

/** Starts a stream; the plugin holds the graph until it ends. */
function sendStream(
  result: AsyncIterable<unknown>,
  entry: PluginEntry,
  source: RequestSource,
  bound: BoundGraph | null,
  done: Done,
  { itemFault, encodeItem }: Renderer,
): void {
  const isForPages = EVENT_STREAM.test(headerValue(source.headerBlock, "Accept") ?? "");
  const format = isForPages ? "sse" : "ndjson";
  const events: StreamEvents = {
    onStart: (port) => source.streams!.open(source, port, format),
    onFailedStart: (thrown) => sendLate(thrown, source, done, entry),
    onFailure: (thrown) => reportThrown(thrown, source),
    onCancel: () => source.signal?.abort("AbortError"),
    onEnd: () => {
      source.signal?.over();
      bound?.release();
    },
  };
  new StreamSender(result, format, itemFault, events, encodeItem).run();
}

/** Returns the status of an error: conflicts, missing features and full disks have their own. */
function statusOf(thrown: unknown): 409 | 500 | 501 | 507 {
  if (!isInstance(thrown, SvcError)) return 500;
  if (thrown.code === "SVC2505") return 507;
  // The request conflicts with a constraint of the graph.
  if (thrown.code === "SVC2415") return 409;
  return thrown.code === "SVC2412" ? 501 : 500;
}

function sendUndefined(source: RequestSource, done: Done): void {
  const path = source.target.split("?", 1)[0]!;
  const name = path.slice(path.lastIndexOf("/") + 1);
  sendError(done, source.accept, 404, "svc", "LookupError", `undefined plugin: ${name}`);
}
