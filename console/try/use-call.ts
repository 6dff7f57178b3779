// One call at a time: its response, or the lines of a stream while they arrive. Leaving the page
// ends it.

import { useEffect, useRef, useState } from "preact/hooks";
import { callServer, type Reply, streamServer } from "../data/client.js";
import { requestHeaders } from "../data/credentials.js";
import { bodyToSend, type PluginRequest } from "../data/form.js";

/** Sends the request through the matrix with an explanation. */
const THROUGH_MATRIX = { "x-svc-console": "matrix", "x-svc-explain": "1" };
/** Lines of a stream that are kept. */
const MAX_LINES = 1000;

export interface StreamState {
  /** The last ones. */
  readonly lines: readonly string[];
  readonly count: number;
  readonly isOpen: boolean;
  readonly end: "" | "complete" | "stopped" | "broken";
}

export interface CallState {
  readonly isRunning: boolean;
  readonly reply: Reply | null;
  readonly at: number;
  readonly stream: StreamState | null;
  /** Why there is no response; empty if there is one. */
  readonly failure: string;
}

export interface PluginCall extends CallState {
  run(request: PluginRequest, isThroughMatrix: boolean, isStream: boolean): Promise<void>;
  stop(): void;
}

const IDLE: CallState = { isRunning: false, reply: null, at: 0, stream: null, failure: "" };

export function useCall(): PluginCall {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController | null>(null);
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  const run: PluginCall["run"] = async (request, isThroughMatrix, isStream) => {
    stop();
    const control = new AbortController();
    running.current = control;
    const show = (part: Partial<CallState>): void => {
      if (running.current === control) setState((old) => ({ ...old, ...part }));
    };
    const lines = new LineBuffer((stream) => show({ stream }));
    setState({
      ...IDLE,
      isRunning: true,
      at: Date.now(),
      stream: isStream ? lines.state("") : null,
    });
    try {
      const question = { ...toQuestion(request, isThroughMatrix), signal: control.signal };
      const reply = isStream
        ? await streamServer(request.path, question, (more) => lines.add(more))
        : await callServer(request.path, question);
      const stream = isStream && reply.ok ? lines.state("complete") : null;
      show({ isRunning: false, reply: stream === null ? reply : null, stream });
    } catch (error) {
      const isStopped = control.signal.aborted;
      const failure = isStopped ? "canceled" : (error as Error).message;
      const stream = lines.count > 0 ? lines.state(isStopped ? "stopped" : "broken") : null;
      show({ isRunning: false, stream, failure: stream === null || !isStopped ? failure : "" });
    }
  };
  return { ...state, run, stop };
}

function toQuestion({ method, body }: PluginRequest, isThroughMatrix: boolean) {
  const headers = { ...requestHeaders(), ...(isThroughMatrix ? THROUGH_MATRIX : {}) };
  return body === null ? { method, headers } : { method, headers, body: bodyToSend(body) };
}

/** Collects lines, and shows them once a frame. */
class LineBuffer {
  count = 0;
  #lines: string[] = [];
  #isShowing = false;
  readonly #show: (state: StreamState) => void;

  constructor(show: (state: StreamState) => void) {
    this.#show = show;
  }

  add(more: readonly string[]): void {
    this.count += more.length;
    this.#lines = [...this.#lines, ...more].slice(-MAX_LINES);
    if (this.#isShowing) return;
    this.#isShowing = true;
    requestAnimationFrame(() => {
      this.#isShowing = false;
      if (this.#isOpen) this.#show(this.state(""));
    });
  }

  state(end: StreamState["end"]): StreamState {
    this.#isOpen = end === "";
    return { lines: this.#lines, count: this.count, isOpen: this.#isOpen, end };
  }

  #isOpen = true;
}
