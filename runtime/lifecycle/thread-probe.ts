// Inspects worker threads from the main thread, even busy ones, because the inspector interrupts
// running code. Takes some milliseconds, so only suspicious threads are inspected.

import type { Session } from "node:inspector/promises";
import type { Worker } from "node:worker_threads";
import { sourceLocation } from "../plugin/contract/stack-trace.js";

/** A thread that waits within a system call cannot be interrupted. */
const PROBE_TIMEOUT_MS = 2000;
const BUFFERS = "(({ arrayBuffers, heapUsed }) => arrayBuffers + heapUsed)(process.memoryUsage())";

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly callFrames?: readonly Frame[];
    readonly scriptId?: string;
    readonly url?: string;
  };
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

interface Frame {
  readonly location: {
    readonly scriptId: string;
    readonly lineNumber: number;
    readonly columnNumber?: number;
  };
}

/**
 * Returns the bytes of a thread's heap and buffers, garbage included; null if it does not respond.
 */
export function usedBytes(worker: Worker): Promise<number | null> {
  return probe(worker, async (thread) => {
    const { result } = await thread.call("Runtime.evaluate", { expression: BUFFERS });
    const value = result?.result?.value;
    return typeof value === "number" ? value : null;
  });
}

/** Returns the line of plugin code that a thread runs, as `file:line:column`; null: none. */
export function currentSourceLine(worker: Worker): Promise<string | null> {
  return probe(worker, async (thread) => {
    const paused = thread.event("Debugger.paused");
    await thread.call("Debugger.enable");
    await thread.call("Debugger.pause");
    const frames = (await paused).params?.callFrames ?? [];
    // A paused thread cannot even be terminated.
    await thread.call("Debugger.resume");
    for (const { location } of frames) {
      const { scriptId, lineNumber, columnNumber = 0 } = location;
      const url = thread.scripts.get(scriptId) ?? "";
      const position = sourceLocation(url, lineNumber + 1, columnNumber + 1);
      if (position !== null) return position;
    }
    return null;
  });
}

/** An inspected thread. */
class ProbedThread {
  readonly #session: Session;
  readonly #sessionId: string;
  readonly #waiting = new Map<number | string, (reply: Reply) => void>();
  #lastId = 0;
  /** URLs of scripts, reported once the debugger is enabled. */
  readonly scripts = new Map<string, string>();

  constructor(session: Session, sessionId: string) {
    this.#session = session;
    this.#sessionId = sessionId;
    session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
      if (params.sessionId !== sessionId) return;
      const reply = JSON.parse(params.message) as Reply;
      const { scriptId, url } = reply.params ?? {};
      if (scriptId !== undefined && url !== undefined) this.scripts.set(scriptId, url);
      const key = reply.id ?? reply.method ?? "";
      this.#waiting.get(key)?.(reply);
      this.#waiting.delete(key);
    });
  }

  event(method: string): Promise<Reply> {
    return new Promise((resolve) => this.#waiting.set(method, resolve));
  }

  call(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.#lastId;
    const message = JSON.stringify({ id, method, params });
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    const sent = this.#session.post("NodeWorker.sendMessageToWorker", {
      sessionId: this.#sessionId,
      message,
    });
    return sent.then(() => reply);
  }
}

/** Returns null if this Node has no inspector, or the thread does not respond. */
async function probe<T>(
  worker: Worker,
  inspect: (thread: ProbedThread) => Promise<T | null>,
): Promise<T | null> {
  const label = `[worker ${worker.threadId}]`;
  let session: Session | null = null;
  let timer: NodeJS.Timeout | undefined;
  try {
    const inspector = await import("node:inspector/promises");
    const opened = new inspector.Session();
    session = opened;
    opened.connect();
    const attached = new Promise<string>((resolve) => {
      opened.on("NodeWorker.attachedToWorker", ({ params }) => {
        if (params.workerInfo.title.startsWith(label)) resolve(params.sessionId);
      });
    });
    const inspected = opened
      .post("NodeWorker.enable", { waitForDebuggerOnStart: false })
      .then(() => attached)
      .then((sessionId) => inspect(new ProbedThread(opened, sessionId)));
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, PROBE_TIMEOUT_MS, null);
    });
    return await Promise.race([inspected, timeout]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    await session?.post("NodeWorker.disable").catch(() => {});
    session?.disconnect();
  }
}
