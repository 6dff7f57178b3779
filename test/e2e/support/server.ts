// A served project in a process of its own, as users run it, on a free pair of ports.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { COMPILED_CODE, nodeCommand, plainNode } from "../../runner/node-command.mjs";
import { type CommandResult, runMain } from "../../support/run-main.js";

const SVC = fileURLToPath(new URL("../../../bin/svc.cjs", import.meta.url));
const [NODE, ...NODE_ARGS] = nodeCommand();

/** Absolute path of a project under `test/fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}

/**
 * Runs `svc` to completion, in this process if it does not serve; rejects with `code`, `stdout` and
 * `stderr` when it fails.
 */
export async function svc(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  // If a loader runs this process, builds could not start processes of their own.
  if (/^(serve|up|down)$/.test(args[0]!) || NODE !== plainNode()) {
    return promisify(execFile)(plainNode(), [SVC, ...args]);
  }
  const { code, stdout, stderr } = await svcHere(...args);
  if (code !== 0) throw Object.assign(new Error(stderr), { code, stdout, stderr });
  return { stdout, stderr };
}

/** The command line whose outputs are captured. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs `svc` of the build in this process, in a fraction of the time, after the ones before. For
 * tests of what commands do and print; not for files of a project that misbehave.
 */
export async function svcHere(...words: string[]): Promise<CommandResult> {
  const entry = new URL("../../../dist/cli.js", import.meta.url).href;
  const { main } = (await import(entry)) as typeof import("../../../cli/main.js");
  const ran = running.then(() => runMain(main, words));
  running = ran.catch(() => {});
  return ran;
}

let builds = 0;

/**
 * Builds like `svc build`, in the warm process that the runner has for it. For tests of served
 * projects; tests of building run the command.
 */
export async function buildProject(folder: string): Promise<void> {
  // Benchmarks have no runner.
  if (process.send === undefined) {
    await svc("build", folder);
    return;
  }
  const id = ++builds;
  const built = new Promise<string>((done) => {
    const settle = (message: { id?: number; error: string }): void => {
      if (message.id !== id) return;
      process.off("message", settle);
      done(message.error);
    };
    process.on("message", settle);
  });
  process.send({ kind: "build", id, folder: resolve(folder) });
  // The channel to the runner does not keep the process alive.
  const keepAlive = setInterval(() => {}, 1000);
  const error = await built;
  clearInterval(keepAlive);
  if (error !== "") throw new Error(error);
}

export interface RunningServer {
  readonly port: number;
  readonly process: ChildProcess;
  /** Standard output of the server so far. */
  output(): string;
  /** Standard error of the server so far. */
  log(): string;
  /** Stops the server and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Kills a server that is no longer needed; a shutdown would take a fifth of a second. */
  end(): Promise<unknown>;
}

/**
 * Lines of a log except those about back-ends, exceptions of plugins, and threads that lag on a
 * loaded machine.
 */
export function strangeLines(log: string): string {
  const expected =
    /^svc: (back-end |more back-ends |plugin \S+ |\/svc\/\S+ threw |IO thread )|^ {4}at /;
  return log
    .split("\n")
    .filter((line) => line !== "" && !expected.test(line))
    .join("\n");
}

/** Starts `svc serve`, which calls no examples before, and resolves once it listens. */
export async function serve(project: string, ...args: string[]): Promise<RunningServer> {
  const server = await serveWith(SVC, project, "--no-warm-up", ...args);
  const requested = args.includes("--transport") ? undefined : process.env.SVC_TRANSPORT;
  const [, transport = requested] = / transport (\w+) \(/.exec(server.output()) ?? [];
  if (requested !== transport && requested !== undefined) {
    await server.stop("SIGKILL");
    throw new Error(`the server uses the transport ${transport} instead of ${requested}`);
  }
  return server;
}

/** The same with another copy of `bin/svc.cjs`. */
export function serveWith(bin: string, project: string, ...args: string[]): Promise<RunningServer> {
  return started([bin, "serve", project, "--port", "0", ...args]);
}

/** Any program that serves, once it listens. */
export async function started(words: readonly string[], env = process.env): Promise<RunningServer> {
  const args = [...NODE_ARGS, ...COMPILED_CODE, ...words];
  const child = spawn(NODE, args, { stdio: ["ignore", "pipe", "pipe"], env });
  let out = "";
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      const match = /https?:\/\/[^\s/]+:(\d+)/.exec(out);
      if (match !== null) resolve(Number(match[1]));
    });
    child.once("exit", () => reject(new Error(`the server ended:\n${out}${log}`)));
  });
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return exited;
  };
  return {
    port,
    process: child,
    output: () => out,
    log: () => log,
    stop,
    end: () => stop("SIGKILL"),
  };
}

/**
 * A connection that has sent these requests at once; chunks of the responses are collected as they
 * arrive.
 */
export function pipeline(port: number, ...paths: string[]): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("latin1");
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  return socket;
}

/** A response, its body decoded if it is JSON. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: {
    readonly status?: string;
    readonly response?: unknown;
    readonly message?: unknown;
    readonly [field: string]: unknown;
  };
}

/** Node 20 truncates a decompressed response when the connection is closed at once. */
const FIELDS = { connection: "close", "accept-encoding": "identity" };

/** Sends a request on a separate connection. */
export async function get(
  port: number,
  path: string,
  init: RequestInit = {},
  host = "127.0.0.1",
): Promise<DecodedResponse> {
  const response = await fetch(`http://${host}:${port}${path}`, {
    ...init,
    headers: { ...FIELDS, ...(init.headers as Record<string, string>) },
  });
  const text = await response.text();
  const isJson =
    text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : {},
  };
}
