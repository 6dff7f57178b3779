// What a server is started with: options and variables over the configuration of the build.

import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { descriptorLimit } from "../../runtime/dispatch/descriptor-limit.js";
import { readMatrixConfig } from "../../runtime/dispatch/matrix-config.js";
import type { GraphSettings } from "../../runtime/lifecycle/graph-system.js";
import type { ResolvedConfig } from "../../runtime/settings/manifest.js";
import { checkedCors, checkedIp, checkedPrefix } from "../../runtime/settings/server-arguments.js";
import type { ServerSettings } from "../../runtime/settings/settings.js";
import type { OptionValues } from "../frame/option.js";
import type { SERVE_OPTIONS } from "./options.js";

export type ServeValues = OptionValues<typeof SERVE_OPTIONS>;

/**
 * @throws SvcError SVC2205 for an address, prefix or origin, and SVC3008 for a root, that cannot be
 *   used
 */
export async function resolveSettings(
  projectDir: string,
  config: ResolvedConfig,
  values: ServeValues,
): Promise<ServerSettings> {
  const { http } = config;
  refuseUnbuilt(config);
  return {
    name: config.name,
    projectDir,
    root: checkedRoot(projectDir, config.root, values.root),
    port: values.port ?? http.port,
    ip: await checkedIp(values.ip ?? http.ip),
    adminIp: await checkedIp(values["admin-ip"] ?? http.adminIp),
    prefix: checkedPrefix(values.prefix ?? http.prefix),
    serviceIn: values["service-out"] === undefined ? http.servicein : !values["service-out"],
    transport: values.transport ?? http.transport,
    cors: checkedCors(values.cors ?? http.cors),
    trusted: http.trusted,
    dispatcher: checkedDispatcher(config.dispatcher, values),
    maxBodyBytes: values["max-body-bytes"] ?? http.maxBodyBytes,
    traceback: values["hide-traceback"] === undefined ? http.traceback : !values["hide-traceback"],
    pluginTimeoutMs: values["plugin-timeout"] ?? config.plugin.timeoutMs,
    executors: executorCount(values.executors ?? config.executors),
    executorHeapMb: values["executor-heap"] ?? config.executorHeapMb,
  };
}

/** What the graphs of a server are started with; its `root` is where they are stored. */
export function graphSettings(
  { root }: ServerSettings,
  { graphs, saveEvery }: ResolvedConfig,
  values: ServeValues,
): GraphSettings {
  return {
    root,
    graphs,
    isReadonly: false,
    hasEvents: true,
    isIdle: false,
    saveEverySeconds: values["save-every"] ?? saveEvery,
  };
}

/** What would change the meaning of answers must not be passed over in silence. */
function refuseUnbuilt({ descriptor }: ResolvedConfig): void {
  if (descriptor === null) return;
  throw new SvcError("SVC2206", "`descriptor` of svc.config.ts is not supported yet");
}

/** A file that was named wins over the configuration; an engine has no back-ends at all. */
function checkedDispatcher(
  configured: object | null,
  { dispatcher: file, role }: ServeValues,
): object | null {
  if (role === "engine") return null;
  const dispatcher = file === undefined ? configured : readJson(file);
  if (dispatcher === null) return null;
  try {
    readMatrixConfig(dispatcher, descriptorLimit());
  } catch (error) {
    const where = file === undefined ? "svc.config.ts" : file;
    throw new SvcError("SVC2207", `${where}: ${(error as Error).message}`, { cause: error });
  }
  return dispatcher as object;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new SvcError("SVC2207", `${file}: ${(error as Error).message}`, { cause: error });
  }
}

function executorCount(wanted: number | "auto"): number {
  return wanted === "auto" ? Math.max(1, availableParallelism() - 1) : wanted;
}

/**
 * A root that was asked for must be there; the configured one may come into being later. What is
 * there must be a folder that can be read.
 */
function checkedRoot(projectDir: string, configured: string, asked: string | undefined): string {
  const root = asked === undefined ? resolve(projectDir, configured) : resolve(asked);
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined && asked === undefined) return root;
  if (stats === undefined) throw new SvcError("SVC3008", `there is no folder ${root}`);
  if (!stats.isDirectory()) throw new SvcError("SVC3008", `${root} is not a folder`);
  try {
    accessSync(root, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new SvcError("SVC3008", `${root} cannot be read`, { cause: error });
  }
  return root;
}
