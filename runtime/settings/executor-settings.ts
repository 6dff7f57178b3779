// Rows of the table of settings: execution of plugins.

import {
  DEFAULT_LOAD_TIMEOUT_MS,
  DEFAULT_PLUGIN_TIMEOUT_MS,
  MAIN_SLOTS,
  MAX_PLUGIN_TIMEOUT_MS,
  MIN_EXECUTOR_HEAP_MB,
} from "../base/limits.js";
import { setting } from "./setting.js";
import { booleanOr, booleanSetting, integer, integerOr } from "./setting-types.js";

export const EXECUTOR_SETTINGS = {
  /** Worker threads that run plugins, 1 to 32; `auto`: number of cores minus one. Default 1. */
  executors: setting({
    key: "executors",
    type: integerOr("auto" as const, 1, MAIN_SLOTS),
    default: [1],
    option: "executors",
    help: "plugin worker threads (auto: cores minus one)",
  }),
  /** Heap limit of one executor in MiB, at least 16 (0: default of Node.js). Default 0. */
  executorHeapMiB: setting({
    key: "executorHeapMiB",
    type: integerOr(0, MIN_EXECUTOR_HEAP_MB, Number.MAX_SAFE_INTEGER),
    default: [0],
    option: "executor-heap-mib",
    help: "memory limit per executor in MiB (0: Node.js default)",
  }),
  /** Timeout of one plugin call in milliseconds (0: no limit). Default 30000. */
  pluginTimeoutMs: setting({
    key: "plugin.timeoutMs",
    type: integer(0, MAX_PLUGIN_TIMEOUT_MS),
    default: [DEFAULT_PLUGIN_TIMEOUT_MS],
    option: "plugin-timeout",
    library: "start",
    help: "plugin timeout in ms (0: no limit)",
  }),
  /** Whether plugins tagged `@inline` run in the IO thread. Default true. */
  inline: setting({
    key: "plugin.inline",
    type: booleanSetting(false),
    default: [true],
    option: "no-inline",
    help: "run @inline plugins on the IO thread",
    optionHelp: "run @inline plugins in executors",
  }),
  /** Whether examples of readonly plugins are called before Service-IN. Default true. */
  warmUp: setting({
    key: "plugin.warmUp",
    type: booleanSetting(false),
    default: [true],
    option: "no-warm-up",
    help: "warm up @readonly plugins with their examples before Service-IN (0.5 s)",
    optionHelp: "skip the plugin warm-up before Service-IN",
  }),
  /** Whether scheduled functions run here; auto: on one instance of a system. Default auto. */
  jobs: setting({
    key: "jobs",
    type: booleanOr("auto"),
    default: ["auto"],
    option: "jobs",
    help: "run scheduled functions here; auto: on one instance of a system",
  }),
  /** Timeout for loading the modules of plugins in milliseconds. Default 30000. */
  loadTimeoutMs: setting({
    key: "plugin.loadTimeoutMs",
    type: integer(1, MAX_PLUGIN_TIMEOUT_MS),
    default: [DEFAULT_LOAD_TIMEOUT_MS],
    option: "plugin-load-timeout",
    help: "plugin load timeout in ms",
  }),
};
