// Looks into worker threads from the main thread, even into one that never gives way: the inspector
// interrupts whatever runs. It costs some milliseconds, and only what is in trouble is looked into.

import type { Session } from "node:inspector/promises";
import type { Worker } from "node:worker_threads";
import { sourceLocation } from "../plugin/contract/traceback.js";

/** A thread that waits within a call of the system cannot be interrupted. */
const PATIENCE_MS = 2000;
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

/** Bytes of a thread's heap and buffers, garbage included; null where it does not answer. */
export function usedBytes(worker: Worker): Promise<number | null> {
  return probed(worker, async (thread) => {
    const { result } = await thread.ask("Runtime.evaluate", { expression: BUFFERS });
    const value = result?.result?.value;
    return typeof value === "number" ? value : null;
  });
}

/** The line of plugin code that a thread is in, as `file:line:column`; null for none. */
export function currentSourceLine(worker: Worker): Promise<string | null> {
  return probed(worker, async (thread) => {
    const paused = thread.event("Debugger.paused");
    await thread.ask("Debugger.enable");
    await thread.ask("Debugger.pause");
    const frames = (await paused).params?.callFrames ?? [];
    // A thread that is still paused when nobody listens any more could not even be terminated.
    await thread.ask("Debugger.resume");
    for (const { location } of frames) {
      const { scriptId, lineNumber, columnNumber = 0 } = location;
      const url = thread.scripts.get(scriptId) ?? "";
      const place = sourceLocation(url, lineNumber + 1, columnNumber + 1);
      if (place !== null) return place;
    }
    return null;
  });
}

/** One thread at the other end of the inspector. */
class ProbedThread {
  readonly #session: Session;
  readonly #sessionId: string;
  readonly #waiting = new Map<number | string, (reply: Reply) => void>();
  #asked = 0;
  /** Where scripts come from; told of all once the debugger is enabled. */
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

  ask(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.#asked;
    const message = JSON.stringify({ id, method, params });
    const answered = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    const sent = this.#session.post("NodeWorker.sendMessageToWorker", {
      sessionId: this.#sessionId,
      message,
    });
    return sent.then(() => answered);
  }
}

/** Null also where this Node has no inspector, and where the thread does not answer. */
async function probed<T>(
  worker: Worker,
  look: (thread: ProbedThread) => Promise<T | null>,
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
    const looked = opened
      .post("NodeWorker.enable", { waitForDebuggerOnStart: false })
      .then(() => attached)
      .then((sessionId) => look(new ProbedThread(opened, sessionId)));
    const given = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, null);
    });
    return await Promise.race([looked, given]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    await session?.post("NodeWorker.disable").catch(() => {});
    session?.disconnect();
  }
}
