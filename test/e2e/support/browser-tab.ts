// A tab of a real browser that records its requests and console errors. Speaks the DevTools
// protocol over two pipes, so that no port is opened.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { FLAGS } from "./browser.js";

const MAX_WAIT_MS = 40_000;
const EVERY_MS = 50;

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

export interface BrowserTab {
  /** Process of the browser, which has child processes. */
  readonly pid: number;
  /** URLs of all requests so far. */
  readonly requests: readonly string[];
  /** Errors on the browser's console: exceptions, policy violations. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** Value of an expression in the page. */
  value(expression: string): Promise<unknown>;
  /** Waits until an expression in the page is true. */
  until(expression: string): Promise<void>;
  send(method: string, params?: Params): Promise<Params>;
  close(): Promise<void>;
}

/** Starts a browser with one empty tab. */
export async function openTab(browser: string): Promise<BrowserTab> {
  const profile = mkdtempSync(join(tmpdir(), "svc-browser-"));
  const flags = [...FLAGS, `--user-data-dir=${profile}`, "--remote-debugging-pipe"];
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
  const child = spawn(browser, flags, { stdio: [...stdio], detached: true });
  const exited = once(child, "exit");
  await once(child, "spawn");
  const requests: string[] = [];
  const complaints: string[] = [];
  const receivers = new Map<number, (message: Message) => void>();
  let session: unknown;
  let lastId = 0;
  readMessages(child.stdio[4] as Readable, (message) => {
    if (message.id !== undefined) receivers.get(message.id)?.(message);
    else watch(message, requests, complaints);
  });
  async function send(method: string, params: Params = {}): Promise<Params> {
    const id = ++lastId;
    const response = new Promise<Message>((resolve) => receivers.set(id, resolve));
    const text = JSON.stringify({ id, method, params, ...(session ? { sessionId: session } : {}) });
    (child.stdio[3] as Writable).write(`${text}\0`);
    const { result, error } = await response;
    receivers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }
  async function value(expression: string): Promise<unknown> {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await send("Runtime.evaluate", options);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value?: unknown }).value;
  }
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`);
  return {
    pid: child.pid!,
    requests,
    complaints,
    open: async (url) => void (await send("Page.navigate", { url })),
    value,
    until: async (expression) => {
      const end = performance.now() + MAX_WAIT_MS;
      while ((await value(expression)) !== true) {
        if (performance.now() > end) {
          const text = await value("document.body.innerText");
          throw new Error(`never true: ${expression}\n${complaints.join("\n")}\n${text}`);
        }
        await delay(EVERY_MS);
      }
    },
    send,
    close: async () => {
      // Including its child processes.
      process.kill(-child.pid!, "SIGKILL");
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Messages end with a zero byte. */
function readMessages(stream: Readable, onMessage: (message: Message) => void): void {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    const messages = (text + piece).split("\0");
    text = messages.pop()!;
    for (const message of messages) onMessage(JSON.parse(message) as Message);
  });
  // The browser is killed at the end.
  stream.on("error", () => {});
}

function watch({ method, params }: Message, requests: string[], complaints: string[]): void {
  if (method === "Network.requestWillBeSent") {
    requests.push((params!.request as { url: string }).url);
  } else if (method === "Runtime.exceptionThrown") {
    complaints.push(JSON.stringify(params!.exceptionDetails));
  } else if (method === "Log.entryAdded") {
    const { level, text, url } = params!.entry as { level: string; text: string; url?: string };
    if (level === "error") complaints.push(`${text} ${url ?? ""}`);
  }
}
