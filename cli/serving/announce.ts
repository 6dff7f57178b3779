// Formats a server's address, its services and an example command, once it listens.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Argspec, PluginSpec } from "../../argspec/argspec.js";
import { exampleQueries } from "../../argspec/example-target.js";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import type { HttpService } from "../../runtime/lifecycle/http-service.js";
import type { PluginTable } from "../../runtime/plugin/contract/plugin-table.js";
import { curlLine, requiredParams } from "./curl-line.js";

const MAX_PLUGINS_SHOWN = 20;
export function announce(service: HttpService, { routes }: PluginTable): string {
  const { settings, port, transport } = service;
  const { plugins, $defs } = readArgspec(settings.projectDir);
  const isServed = ({ path, role }: PluginSpec) => routes[path]?.[role] !== undefined;
  const served = plugins.filter(isCallable).filter(isServed);
  const everywhere = isEverywhere(settings.ip) ? " and on all other addresses of this machine" : "";
  const scheme = settings.tls === null ? "http" : "https";
  const main = `${scheme}://${host(settings.ip)}:${port}`;
  const admin = `${scheme}://${host(settings.adminIp ?? settings.ip)}:${port + 1}`;
  const pages = consoleAddress(service);
  const executors = settings.executors === 1 ? "1 executor" : `${settings.executors} executors`;
  return [
    `svc: serving ${settings.name ?? settings.projectDir} on ${main} (admin ${admin})${everywhere}`,
    `  transport ${transport.name} (${transport.reason}), ${executors}`,
    ...(pages === null ? [] : [`  console ${pages}`]),
    ...(service.serviceIn ? [] : ["  Service-OUT: plugins answer 503"]),
    ...pluginLines(served),
    ...tryLines(served, $defs, main),
    "",
  ].join("\n");
}

/** Address of the console; null if it is disabled. */
export function consoleAddress({ settings, port }: HttpService): string | null {
  if (settings.console === "off") return null;
  const scheme = settings.tls === null ? "http" : "https";
  return `${scheme}://${host(settings.adminIp ?? settings.ip)}:${port + 1}/`;
}

/** Example for a dispatcher, which merges only PluginResponses. */
export function sampleCall(projectDir: string, main: string): string[] {
  const { plugins, $defs } = readArgspec(projectDir);
  const merged = plugins.filter(
    (plugin) => isCallable(plugin) && (plugin.role === "pre" || plugin.result.kind === "response"),
  );
  if (merged.length > 0) return tryLines(merged, $defs, main);
  return [
    "  no plugin returns a PluginResponse, so the dispatcher has nothing to merge; try",
    `    curl "${main}/svc/builtin/matrixplugins"`,
  ];
}

function readArgspec(projectDir: string): Argspec {
  const file = join(projectDir, BUILD_FOLDER, "argspec.json");
  return JSON.parse(readFileSync(file, "utf8")) as Argspec;
}

/** Clients cannot call a post-processor. */
function isCallable({ role }: PluginSpec): boolean {
  return role !== "post";
}

/** Returns a name of this machine that local clients can use. */
function host(ip: string | null): string {
  if (ip === null || isEverywhere(ip)) return "127.0.0.1";
  return ip.includes(":") ? `[${ip}]` : ip;
}

function isEverywhere(ip: string | null): boolean {
  return ip === null || ip === "0.0.0.0" || ip === "::";
}

function pluginLines(plugins: readonly PluginSpec[]): string[] {
  if (plugins.length === 0) return ["  no plugins yet: mark an exported function with @plugin"];
  const shown = plugins.slice(0, MAX_PLUGINS_SHOWN);
  const width = Math.max(...shown.map(({ path }) => path.length)) + 2;
  const rows = shown.map(({ path, summary }) => `    ${path.padEnd(width)}${summary}`.trimEnd());
  const rest = plugins.length - shown.length;
  return ["  plugins", ...rows, ...(rest > 0 ? [`    and ${rest} more`] : [])];
}

function hasExample(plugin: PluginSpec): boolean {
  return exampleQueries(plugin).length > 0;
}

/**
 * Chooses the plugin to suggest: one with an example and few parameters, preferably a
 * pre-processor.
 */
function tryLines(plugins: readonly PluginSpec[], $defs: Argspec["$defs"], main: string): string[] {
  const [easiest] = [...plugins].sort(
    (a, b) =>
      Number(a.role === "engine") - Number(b.role === "engine") ||
      Number(hasExample(b)) - Number(hasExample(a)) ||
      requiredParams(a).length - requiredParams(b).length,
  );
  if (easiest === undefined) return [];
  return ["  try", `    ${curlLine(easiest, $defs, main)}`];
}
