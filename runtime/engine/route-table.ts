// Maps a path to its resource: one map lookup for every known path, one string comparison for the
// service prefix. All other paths are files.

import { DEFAULT_JOB_TIMEOUT_MS, JOB_GRACE_MS } from "../base/limits.js";
import type { AccessKind } from "../builtin/access-kind.js";
import type { Service } from "../builtin/service.js";
import { JOB_PATH, type JobFacts } from "../plugin/contract/job-schedule.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { PathRoutes, Routes } from "../plugin/contract/plugin-table.js";
import type { JobRoute } from "./jobs/job-runner.js";
import type { PluginRoute } from "./plugin-call.js";

export type Resource =
  | { readonly kind: "plugin"; readonly route: PluginRoute }
  /** A plugin of back-ends, with processors of this instance before or after it. */
  | {
      readonly kind: "processed";
      readonly pre: PluginRoute | null;
      readonly post: PluginRoute | null;
    }
  | {
      readonly kind: "builtin";
      readonly entry: PluginEntry;
      /** Its route in the admin executor for slow requests, else null. */
      readonly route: PluginRoute | null;
      readonly use: AccessKind;
    }
  /** A built-in plugin that the admin executor can run, too, for slow queries. */
  | {
      readonly kind: "argspec";
      readonly entry: PluginEntry;
      readonly route: PluginRoute;
    }
  /** A built-in plugin of the admin executor. */
  | { readonly kind: "admin"; readonly route: PluginRoute; readonly use: AccessKind }
  | { readonly kind: "service"; readonly service: Service };

export const PLUGIN_PATH = "/svc/plugin/";
export const BUILTIN_PATH = "/svc/builtin/";
const ESCAPED_SLASH = /%2f/i;

export class RouteTable {
  readonly #resources = new Map<string, Resource>();
  /** By path and role; the objects are retained, because requests in progress refer to them. */
  readonly #plugins = new Map<string, PluginRoute>();
  readonly #jobs = new Map<string, JobRoute>();
  /** `/prefix`, or null. */
  readonly #prefix: string | null;

  constructor(prefix: string | null) {
    this.#prefix = prefix;
  }

  set(path: string, resource: Resource): void {
    this.#resources.set(path, resource);
  }

  /** Replaces all user plugins; `routes` maps paths to numbers (routes.json). */
  setPlugins(routes: Routes): void {
    for (const path of this.#resources.keys()) {
      if (path.startsWith(PLUGIN_PATH)) this.#resources.delete(path);
    }
    for (const route of this.#plugins.values()) route.number = -1;
    this.#jobs.clear();
    for (const [path, entry] of Object.entries(routes)) {
      const { engine, pre, post, timeouts, access, job, files } = entry;
      const route = this.#route(path, "engine", engine, timeouts, access);
      if (route !== null) route.takesFiles = files === true;
      if (route !== null) route.isReadonly = entry.readonly === true;
      if (job !== undefined) {
        this.#addJob(path.slice(JOB_PATH.length), route!, job);
        continue;
      }
      const resource: Resource =
        route !== null
          ? { kind: "plugin", route }
          : {
              kind: "processed",
              pre: this.#route(path, "pre", pre, timeouts, access),
              post: this.#route(path, "post", post, timeouts, access),
            };
      this.#resources.set(path, resource);
    }
    for (const [key, route] of this.#plugins) if (route.number < 0) this.#plugins.delete(key);
  }

  #addJob(name: string, route: PluginRoute, facts: JobFacts): void {
    route.isJob = true;
    route.timeoutMs = (route.timeoutMs || DEFAULT_JOB_TIMEOUT_MS) + JOB_GRACE_MS;
    this.#jobs.set(name, { route, facts });
  }

  /** The jobs of the build by name. */
  get jobs(): ReadonlyMap<string, JobRoute> {
    return this.#jobs;
  }

  /** Sets the entry of a plugin that the IO thread runs; null: executors run it. */
  setInline(path: string, entry: PluginEntry | null): void {
    const route = this.#plugins.get(`engine ${path}`);
    if (route !== undefined) route.inline = entry;
  }

  #route(
    path: string,
    role: PluginEntry["role"],
    number: number | undefined,
    timeouts: PathRoutes["timeouts"] = {},
    access: PathRoutes["access"] = {},
  ): PluginRoute | null {
    if (number === undefined) return null;
    const key = `${role} ${path}`;
    let route = this.#plugins.get(key);
    if (route === undefined) {
      route = {
        name: path.slice(path.lastIndexOf("/") + 1),
        number,
        timeoutMs: 0,
        inline: null,
        access: undefined,
      };
      this.#plugins.set(key, route);
    }
    route.number = number;
    route.timeoutMs = timeouts[role] ?? 0;
    route.inline = null;
    route.access = access[role];
    return route;
  }

  find(path: string): Resource | undefined {
    return this.#resources.get(path);
  }

  /**
   * Returns the path for rules and lookups: without the service prefix, and `/<prefix>/plugin/x` as
   * `/svc/plugin/x`. Escapes are not decoded, so that they cannot bypass the rules of a proxy in
   * front; only the name of a plugin is. Files have rules of their own.
   *
   * @returns null for an invalid plugin name
   */
  resolve(path: string): string | null {
    const route = this.#withoutPrefix(path);
    if (!route.includes("%")) return route;
    const start = route.startsWith(PLUGIN_PATH) ? PLUGIN_PATH : BUILTIN_PATH;
    if (!route.startsWith(start)) return route;
    const name = route.slice(start.length);
    if (ESCAPED_SLASH.test(name)) return null;
    try {
      return start + decodeURIComponent(name);
    } catch {
      return null;
    }
  }

  #withoutPrefix(path: string): string {
    const prefix = this.#prefix;
    if (prefix === null || !path.startsWith(prefix) || path[prefix.length] !== "/") return path;
    const rest = path.slice(prefix.length);
    return rest.startsWith("/plugin/") ? `/svc${rest}` : rest;
  }
}
