// The table of settings: the source of the types of `svc.config.ts`, of `startHTTP` and of a
// server's own settings, of all their validation, of the options and variables of `svc serve`, and
// of the table in the documents.
//
// A new setting is one more row: its name in programs, then
//   key      its key in svc.config.ts, at the top (`saveEvery`) or in a group (`http.port`); a
//            group exists once it has a row
//   type     the valid values: setting-types.ts; a structure gets a rule of its own in this folder
//   default  the default, and after a comma its text in documents, where the value is not
//            self-explanatory
//   option   of `svc serve` and `svc dev`; the variable is derived: `save-every`, SVC_SAVE_EVERY;
//            `platformVariable` names an additional variable, such as PORT;
//            `fileOption` replaces it for an option that names a JSON file with the value
//   library  where programs may pass it: to "start" (`startHTTP`), or to "initialize" only
//   help     description for the documents and for `svc serve --help`; `optionHelp` replaces it in
//            the latter where the option needs another text
// Editors show the comment above a row for its key. A server's code reads the value as
// `settings.<name>`. Add invalid values to test/runtime/settings/wrong-values.ts, and write the
// documents with `UPDATE_GOLDEN=1 node test/run.mjs tidy-reference`.

import {
  DEFAULT_RETAINED_LOG_BYTES,
  DEFAULT_SAVE_EVERY_SECONDS,
  DEFAULT_STOP_SECONDS,
  MAX_DRAIN_SECONDS,
  MAX_MAIN_PORT,
  MAX_RETAINED_LOG_BYTES,
  MAX_SAVE_EVERY_SECONDS,
  PRIVATE_NETWORKS,
} from "../base/limits.js";
import { LOG_LEVELS } from "../base/log-settings.js";
import { type ApiConfig, apiRule, EMPTY_API, type ParsedApi } from "./api-rules.js";
import { AUDIT_SETTINGS } from "./audit-settings.js";
import { CLIENT_LIMITS } from "./client-limits.js";
import type { DispatcherConfig, GraphConfig, PluginDeclaration } from "./config-values.js";
import { EXECUTOR_SETTINGS } from "./executor-settings.js";
import { type ConfiguredGraph, graphsRule } from "./graph-rules.js";
import { INTERCONNECT_SETTINGS } from "./interconnect-settings.js";
import {
  type LifecycleConfig,
  lifecycleRule,
  NO_FUNCTIONS,
  type ParsedLifecycle,
} from "./lifecycle-rules.js";
import { matrixRule } from "./matrix-config.js";
import { authRule, beforeRule, envRule, type PluginItem, pluginsRule } from "./plugin-rules.js";
import { PROXY_SETTINGS } from "./proxy-settings.js";
import { RECORD_SETTINGS } from "./record-settings.js";
import { nullable } from "./rules.js";
import { NO_SCOPES, type ParsedScopes, type ScopesConfig, scopesRule } from "./scope-rules.js";
import { setting } from "./setting.js";
import {
  address,
  booleanOr,
  booleanSetting,
  enumSetting,
  file,
  hostNames,
  integer,
  networks,
  optional,
  origin,
  prefix,
  stringSetting,
  structure,
} from "./setting-types.js";
import { TRACING_SETTINGS } from "./tracing-settings.js";
import { TRANSPORT_SETTINGS } from "./transport-settings.js";

export const SETTINGS = {
  /** Service name. Default: the name in package.json. */
  name: setting({
    key: "name",
    type: optional(stringSetting("<name>")),
    default: [null, "from package.json"],
    help: "service name",
  }),
  /** Main port; the admin port is the next one (0: any free pair). Default 9000. */
  port: setting({
    key: "http.port",
    type: integer(0, MAX_MAIN_PORT),
    default: [9000],
    option: "port",
    platformVariable: "PORT",
    noun: "port number",
    help: "main port; the admin port is the next one (0: any free pair)",
  }),
  /** Address to listen on, null for all (default). */
  ip: setting({
    key: "http.ip",
    type: optional(address),
    default: [null, "all"],
    option: "ip",
    library: "start",
    noun: "ip address",
    help: "listen address",
  }),
  /** Address of the admin port alone; null: as `ip` (default). */
  adminIp: setting({
    key: "http.adminIp",
    type: optional(address),
    default: [null, "as `http.ip`"],
    option: "admin-ip",
    library: "start",
    noun: "ip address",
    help: "listen address of the admin port",
  }),
  /** Additional path prefix of all routes. Default null: no prefix. */
  prefix: setting({
    key: "http.prefix",
    type: prefix,
    default: [null],
    option: "prefix",
    library: "start",
    help: "additional path prefix for every route",
  }),
  /** Whether the service starts Service-IN. Default true. */
  servicein: setting({
    key: "http.servicein",
    type: booleanSetting(false),
    default: [true],
    option: "service-out",
    library: "start",
    help: "start in service",
    optionHelp: "start Service-OUT (plugins answer 503)",
  }),
  ...TRANSPORT_SETTINGS,
  /** Value of Access-Control-Allow-Origin; null: not sent (default). */
  cors: setting({
    key: "http.cors",
    type: optional(origin),
    default: [null],
    option: "cors",
    library: "start",
    help: "Access-Control-Allow-Origin header value",
  }),
  /** Ports of the web console: the admin port (default), both, or none. */
  console: setting({
    key: "http.console",
    type: enumSetting("admin", "both", "off"),
    default: ["admin"],
    option: "console",
    library: "start",
    help: "port of the web console",
  }),
  ...PROXY_SETTINGS,
  /** Clients that may use built-in plugins on the main port. Default: all. */
  builtins: setting({
    key: "http.builtins",
    type: enumSetting("all", "trusted", "admin"),
    default: ["all"],
    option: "builtins",
    library: "start",
    help: "clients of built-in plugins on the main port; `admin`: the admin port only",
  }),
  ...CLIENT_LIMITS,
  /** Whether error responses of plugins include stack traces. Default true. */
  stackTraces: setting({
    key: "http.stackTraces",
    type: booleanSetting(false),
    default: [true],
    option: "no-stack-traces",
    library: "start",
    help: "include stack traces in plugin error responses",
    optionHelp: "omit stack traces from plugin error responses",
  }),
  /** Networks (`10.0.0.0/8`) that may change graphs, besides loopback. Default none. */
  trustedNetworks: setting({
    key: "http.trustedNetworks",
    type: networks,
    default: [[]],
    option: "trusted-networks",
    library: "start",
    help: "networks allowed to change graphs, besides loopback",
  }),
  /** Allowed names in Host, `.name` for all subdomains; null: any. Default null. */
  allowedHosts: setting({
    key: "http.allowedHosts",
    type: optional(hostNames),
    default: [null, "any"],
    option: "allowed-hosts",
    library: "start",
    help: "allowed Host header names; `.name` matches its subdomains",
    optionHelp: "allowed Host header names; .name matches its subdomains",
  }),
  /** Networks of dispatchers. Default: this machine and private networks. */
  dispatcherNetworks: setting({
    key: "http.dispatcherNetworks",
    type: networks,
    default: [PRIVATE_NETWORKS, "this machine and private networks"],
    option: "dispatcher-networks",
    library: "start",
    help: "networks allowed to dispatch to this server; `[]`: none",
    optionHelp: "networks allowed to dispatch to this server, or none",
  }),
  /** Seconds that a shutdown waits for running requests. Default 8. */
  shutdownTimeoutSeconds: setting({
    key: "http.shutdownTimeoutSeconds",
    type: integer(0, MAX_DRAIN_SECONDS),
    default: [DEFAULT_STOP_SECONDS],
    option: "shutdown-timeout",
    library: "start",
    help: "seconds to wait for running requests at shutdown",
  }),
  /** Seconds before a shutdown in which only the health check fails. Default 0. */
  drainSeconds: setting({
    key: "http.drainSeconds",
    type: integer(0, MAX_DRAIN_SECONDS),
    default: [0],
    option: "drain",
    library: "start",
    help: "seconds to fail `/svc/hc` before shutdown starts",
    optionHelp: "seconds to fail /svc/hc before shutdown starts",
  }),
  /** Data folder, relative to the project. Default `./data`. */
  root: setting({
    key: "root",
    type: stringSetting("<folder>"),
    default: ["./data"],
    option: "root",
    library: "initialize",
    help: "data folder; static files are served from its WEB-ROOT",
  }),
  /** Metadata of the service in OpenAPI documents: version, license, servers, security. */
  api: setting({
    key: "api",
    type: structure<ParsedApi, ApiConfig>(apiRule),
    default: [EMPTY_API, "version and license from package.json"],
    help: "OpenAPI metadata: version, license, servers, security",
  }),
  /** Glob patterns and declarations. Default: every `.ts` file below `plugins`. */
  plugins: setting({
    key: "plugins",
    type: structure<readonly PluginItem[], readonly (string | PluginDeclaration)[]>(pluginsRule),
    default: [["plugins/**/*.{ts,mts}"]],
    help: "glob patterns of plugin files, and plugin declarations",
  }),
  /** Functions that run before each plugin, in order: `module#export`. */
  before: setting({
    key: "before",
    type: structure<readonly string[]>(beforeRule),
    default: [[]],
    help: "hooks that run before every plugin, as `module#export`",
  }),
  /** Authentication of the main port: handlers as `module#export`, in order. Default: none. */
  auth: setting({
    key: "auth",
    type: structure<readonly string[], string | readonly string[]>(authRule),
    default: [[]],
    library: "start",
    help: "authentication handlers of the main port, as `module#export`",
  }),
  /** Schema of the environment variables, checked at start: `module#export`. Default: none. */
  env: setting({
    key: "env",
    type: structure<readonly string[], string | readonly string[]>(envRule),
    default: [[]],
    help: "Standard Schema of the environment variables, as `module#export`",
  }),
  /** Functions that run before the first request: `module#export` for each executor. */
  onStart: setting({
    key: "onStart",
    type: structure<ParsedLifecycle, string | LifecycleConfig>(lifecycleRule),
    default: [NO_FUNCTIONS, "none"],
    help: "start functions, as `module#export` or `{ instance, executor }`",
  }),
  /** Functions that run after the last request: `module#export` for each executor. */
  onStop: setting({
    key: "onStop",
    type: structure<ParsedLifecycle, string | LifecycleConfig>(lifecycleRule),
    default: [NO_FUNCTIONS, "none"],
    help: "stop functions, as `module#export` or `{ instance, executor }`",
  }),
  /** Scopes for built-in services of the main port, and for graphs without their own. */
  builtinScopes: setting({
    key: "builtins",
    type: structure<ParsedScopes, ScopesConfig>(scopesRule),
    default: [NO_SCOPES, "none"],
    help: "scopes that built-in services require: `{ read, change }`",
  }),
  /** Graphs to open at start, by name. Graphs stored in the data folder are always opened. */
  graphs: setting({
    key: "graphs",
    type: structure<
      Readonly<Record<string, ConfiguredGraph>>,
      { readonly [name: string]: GraphConfig }
    >(graphsRule),
    default: [{}],
    help:
      "graphs to open: `{ shop: { path, readonly, local, memory, indexes, constraints, vectors, " +
      "read, change } }`",
  }),
  /** Seconds between snapshots of changed graphs (0: only at shutdown). */
  saveEvery: setting({
    key: "saveEvery",
    type: integer(0, MAX_SAVE_EVERY_SECONDS),
    default: [DEFAULT_SAVE_EVERY_SECONDS],
    option: "save-every",
    library: "initialize",
    help: "seconds between snapshots of changed graphs (0: only at shutdown)",
  }),
  /** Durability of changes of graphs: "off", "async" (default), "full". */
  durability: setting({
    key: "durability",
    type: enumSetting("off", "async", "full"),
    default: ["async"],
    option: "durability",
    library: "initialize",
    help: "transaction log durability: off, async (write every 10 ms) or full (fsync first)",
  }),
  /** Bytes of transaction log retained for followers of changes, besides what recovery needs. */
  retainLogBytes: setting({
    key: "retainLogBytes",
    type: integer(0, MAX_RETAINED_LOG_BYTES),
    default: [DEFAULT_RETAINED_LOG_BYTES],
    option: "retain-log-bytes",
    library: "initialize",
    help: "bytes of transaction log retained for followers of changes",
  }),
  /** Format of the server log. Default: text on a terminal, else lines of JSON. */
  logFormat: setting({
    key: "logging.format",
    type: enumSetting("auto", "json", "text"),
    default: ["auto"],
    option: "log-format",
    library: "initialize",
    help: "server log format; auto: text on a terminal, else JSON lines",
  }),
  /** Minimum level of log entries: "error", "warn", "info" (default), "debug". */
  logLevel: setting({
    key: "logging.level",
    type: enumSetting(...LOG_LEVELS),
    default: ["info"],
    option: "log-level",
    library: "initialize",
    help: "minimum log level",
  }),
  /** Logs one in this many requests (0: none). Default 0. */
  accessLogSampleEvery: setting({
    key: "logging.accessSampleEvery",
    type: integer(0, Number.MAX_SAFE_INTEGER),
    default: [0],
    option: "access-log-sample-every",
    library: "start",
    help: "log one in n requests (1: all, 0: none)",
  }),
  ...AUDIT_SETTINGS,
  ...TRACING_SETTINGS,
  ...RECORD_SETTINGS,
  /** Clients that may request an explanation with `X-SVC-Explain`. Default: anyone. */
  explain: setting({
    key: "http.explain",
    type: enumSetting("anyone", "trusted", "off"),
    default: ["anyone"],
    option: "explain",
    library: "start",
    help: "clients allowed to use `X-SVC-Explain`",
    optionHelp: "clients allowed to use X-SVC-Explain",
  }),
  ...INTERCONNECT_SETTINGS,
  /** Whether vertices and arcs expire; "paused": not before events are resumed. Default true. */
  events: setting({
    key: "events",
    type: booleanOr("paused"),
    default: [true],
    option: "events",
    library: "initialize",
    help: "enable expiry of vertices and arcs; paused: until events are resumed",
  }),
  /** Whether all graphs are read-only. Default false. */
  readonly: setting({
    key: "readonly",
    type: booleanSetting(),
    default: [false],
    option: "readonly",
    library: "initialize",
    help: "make all graphs read-only",
  }),
  ...EXECUTOR_SETTINGS,
  /** Matrix of back-ends for requests (http-interface, "Dispatcher configuration"). */
  dispatcher: setting({
    key: "dispatcher",
    type: structure<object | null, DispatcherConfig | object | null>(nullable(matrixRule)),
    default: [null],
    fileOption: "dispatcher",
    library: "start",
    help: "matrix of back-ends to dispatch requests to",
    optionHelp: "JSON file with the matrix of back-ends to dispatch requests to",
  }),
  /** File with the key of remote operators; null: the key in SVC_ADMIN_KEY, or none. */
  adminKeyFile: setting({
    key: "admin.keyFile",
    type: optional(file),
    default: [null],
    option: "admin-key-file",
    help: "admin key file; without it only loopback can operate the server",
  }),
  /** File with the key of dispatchers; null: the key in SVC_DISPATCHER_KEY, or none. */
  dispatcherKeyFile: setting({
    key: "http.dispatcherKeyFile",
    type: optional(file),
    default: [null],
    option: "dispatcher-key-file",
    library: "start",
    help: "file of the key that signs dispatched requests; the same for all instances",
  }),
  /** File with the descriptor of the system, relative to the project. Default `svc.system.ts`. */
  descriptor: setting({
    key: "descriptor",
    type: optional(file),
    default: [null, "svc.system.ts, svc.system.json or svc.cf"],
    option: "descriptor",
    help: "system descriptor: JSON file, or a program run by `svc build`",
    optionHelp: "system descriptor (JSON file); select with --instance",
  }),
};
