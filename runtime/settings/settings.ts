// Everything a server is started with, resolved: configuration, flags and variables are merged
// before, and nothing here is optional.

import { resolve } from "node:path";
import { DEFAULT_MAX_BODY_BYTES, DEFAULT_PLUGIN_TIMEOUT_MS } from "../base/limits.js";
import type { TransportChoice } from "../http/load-transport.js";

export interface ServerSettings {
  /** Service name shown by `/svc/status`; null when it has none. */
  readonly name: string | null;
  /** Folder of the project; `.svc/` is looked for here. */
  readonly projectDir: string;
  /** Data folder; files are served from its `WEB-ROOT`. */
  readonly root: string;
  /** Main port (server A); the admin server takes the next one. 0 picks a free pair. */
  readonly port: number;
  /** Address to bind, null for all. */
  readonly ip: string | null;
  readonly adminIp: string | null;
  /** `/prefix`, or null. */
  readonly prefix: string | null;
  readonly serviceIn: boolean;
  readonly transport: TransportChoice;
  readonly cors: string | null;
  readonly maxBodyBytes: number;
  /** Networks that may change graphs, beside this machine. */
  readonly trusted: readonly string[];
  /** Whether answers to plugin errors carry stack lines. */
  readonly traceback: boolean;
  /** Longest run of one plugin call, 0 for no bound. */
  readonly pluginTimeoutMs: number;
  /** The matrix of back-ends as it was given, checked; null for an engine. */
  readonly dispatcher: object | null;
  /** Worker threads that run plugins; library mode has none. */
  readonly executors: number;
  /** Heap of one worker executor in MiB, 0 for Node's own bound. */
  readonly executorHeapMb: number;
}

/** Settings of a server that was given nothing but a project folder. */
export function defaultSettings(projectDir: string): ServerSettings {
  return {
    name: null,
    projectDir: resolve(projectDir),
    root: resolve(projectDir, "data"),
    port: 9000,
    ip: null,
    adminIp: null,
    prefix: null,
    serviceIn: true,
    transport: "auto",
    cors: null,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    trusted: [],
    traceback: true,
    pluginTimeoutMs: DEFAULT_PLUGIN_TIMEOUT_MS,
    dispatcher: null,
    executors: 1,
    executorHeapMb: 0,
  };
}
