// The options of `svc serve` and `svc dev`. What they leave out comes from `svc.config.ts`.

import {
  MAIN_SLOTS,
  MAX_MAIN_PORT,
  MAX_PLUGIN_TIMEOUT_MS,
  MAX_SAVE_EVERY_SECONDS,
  MIN_EXECUTOR_HEAP_MB,
} from "../../runtime/base/limits.js";
import { choice, either, flag, integer, type Option, text } from "../frame/option.js";

export const SERVE_OPTIONS = {
  port: {
    kind: integer(0, MAX_MAIN_PORT),
    help: "main port, the admin port is the next one; 0: any free pair",
  },
  ip: { kind: text("<address>"), help: "address to listen on, default: all" },
  "admin-ip": { kind: text("<address>"), help: "address of the admin port alone" },
  prefix: { kind: text("<path>"), help: "every path answers below this prefix too" },
  executors: {
    kind: either(integer(1, MAIN_SLOTS), choice("auto")),
    help: "threads that run plugins; auto: one less than there are cores",
  },
  "executor-heap": {
    kind: integer(MIN_EXECUTOR_HEAP_MB, Number.MAX_SAFE_INTEGER),
    help: "heap of one executor in MiB, default: Node's own bound",
  },
  transport: {
    kind: choice("auto", "net", "uws"),
    help: "HTTP implementation; auto: uws where hyper-express is installed and loads",
  },
  root: { kind: text("<folder>"), help: "data folder, files are served from its WEB-ROOT" },
  "save-every": {
    kind: integer(0, MAX_SAVE_EVERY_SECONDS),
    help: "seconds between saves of graphs that have changed, 0: only when the server stops",
  },
  dispatcher: {
    kind: text("<file>"),
    help: "JSON file with the matrix of back-ends that requests are sent to",
  },
  role: {
    kind: choice("engine", "dispatcher"),
    help: "serve engine plugins alone, or pre- and post-processors alone; default: all there are",
  },
  "service-out": { kind: flag, help: "start Service-OUT: plugins answer 503" },
  "plugin-timeout": {
    kind: integer(0, MAX_PLUGIN_TIMEOUT_MS),
    help: "longest run of a plugin in milliseconds, 0: no bound",
  },
  "max-body-bytes": {
    kind: integer(1, Number.MAX_SAFE_INTEGER),
    help: "largest request body",
  },
  cors: { kind: text("<origin>"), help: "value of Access-Control-Allow-Origin" },
  "hide-traceback": { kind: flag, help: "answers to plugin errors carry no stack lines" },
} satisfies Record<string, Option<unknown>>;
