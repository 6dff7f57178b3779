// Resolves the settings of a server: options and variables override the configuration of the build.

import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { availableParallelism, hostname } from "node:os";
import { join, resolve } from "node:path";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { ArgumentError, SvcError } from "../../runtime/base/errors.js";
import { readText } from "../../runtime/base/read-text.js";
import { openFileLimit } from "../../runtime/dispatch/descriptor-limit.js";
import { readAdminKey, readDispatcherKey } from "../../runtime/settings/admin-key.js";
import { configured, type ResolvedConfig } from "../../runtime/settings/config-rule.js";
import { readMatrixConfig } from "../../runtime/settings/matrix-config.js";
import { type Problems, problemText } from "../../runtime/settings/rules.js";
import {
  checkSettings,
  resolveAddress,
  type ServerSettings,
  type SettingName,
} from "../../runtime/settings/server-settings.js";
import type { Setting } from "../../runtime/settings/setting.js";
import { SETTINGS } from "../../runtime/settings/table.js";
import type { InstancePlan } from "../../runtime/system/instance-plan.js";
import { plannedSettings } from "../../runtime/system/instance-plan.js";
import type { Role } from "./built-project.js";
import type { ServeValues } from "./options.js";

/**
 * @throws SvcError SVC2205 for an invalid value, SVC2700 for an invalid descriptor, SVC3110 for a
 *   missing one, SVC3111 for an unknown instance, SVC2207 for a dispatcher, and SVC3008 for an
 *   unusable root
 */
export async function resolveSettings(
  projectDir: string,
  config: ResolvedConfig,
  values: ServeValues,
): Promise<ServerSettings> {
  const systemInstance = await planSystemInstance(projectDir, config, values);
  const planned = systemInstance === null ? {} : plannedSettings(systemInstance.plan, config);
  const settings = checkSettings((name) => givenValue(name, config, values, planned));
  checkDescriptors(settings.dispatcher);
  const root = checkedRoot(projectDir, settings.root, values.root !== undefined);
  const role = values.role ?? systemInstance?.plan.role;
  return {
    ...settings,
    graphs: markBackEndGraphs(settings.graphs, role, systemInstance?.plan ?? null),
    projectDir,
    root: systemInstance === null ? root : instanceRoot(root, systemInstance.plan),
    ip: await resolveAddress(settings.ip),
    adminIp: await resolveAddress(settings.adminIp),
    executors: executorCount(settings.executors),
    node:
      systemInstance === null
        ? null
        : {
            id: systemInstance.plan.id,
            host: systemInstance.plan.host,
            descriptor: systemInstance.descriptor,
          },
    slots: systemInstance?.plan.slots ?? null,
    build: null,
    adminKey: readAdminKey(settings.adminKeyFile),
    dispatcherKey: readDispatcherKey(settings.dispatcherKeyFile),
    leadership: systemInstance?.plan.leadership ?? null,
  };
}

/**
 * Marks the graphs of a dispatcher's configuration that only its back-ends open. A dispatcher that
 * opened them too would answer queries from its own, empty graphs.
 */
function markBackEndGraphs(
  graphs: ServerSettings["graphs"],
  role: InstancePlan["role"] | undefined,
  plan: InstancePlan | null,
): ServerSettings["graphs"] {
  if (role !== "dispatcher") return graphs;
  const entries = Object.entries(graphs).map(([name, graph]) => {
    const isOwn = plan !== null && Object.hasOwn(plan.graphs, name);
    return [name, { ...graph, isOfBackEnds: !isOwn }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the role: the option, or else that of the instance in its system. */
export async function resolveRole(
  projectDir: string,
  config: ResolvedConfig,
  values: ServeValues,
): Promise<Role | undefined> {
  if (values.role !== undefined) return values.role;
  const role = (await planSystemInstance(projectDir, config, values))?.plan.role ?? "all";
  return role === "all" ? undefined : role;
}

interface SystemInstance {
  readonly plan: InstancePlan;
  readonly descriptor: object;
}

/** Returns the plan of this instance of a system; null for a server outside a system. */
async function planSystemInstance(
  projectDir: string,
  config: ResolvedConfig,
  { instance: ids, descriptor }: ServeValues,
): Promise<SystemInstance | null> {
  if (ids === undefined) return null;
  const instance = selectInstance(ids.split(","), hostname());
  const [{ loadSystem }, { planInstance }] = await Promise.all([
    import("../system/load-system.js"),
    import("../../runtime/system/instance-plan.js"),
  ]);
  const system = loadSystem(projectDir, config.descriptor, descriptor);
  if (!system.instances.has(instance)) {
    const ids = [...system.instances.keys()];
    const text = `system ${system.name} has no instance ${JSON.stringify(instance)}`;
    throw new SvcError("SVC3111", text + didYouMean(instance, ids));
  }
  return { plan: planInstance(system, instance), descriptor: system.descriptor };
}

/**
 * Returns the id that the number at the end of the host name selects, from 1: each pod of a
 * StatefulSet serves another instance.
 * @throws SvcError SVC3111
 */
export function selectInstance(ids: readonly string[], host: string): string {
  if (ids.length === 1) return ids[0]!;
  const ordinal = Number(/-(\d+)$/.exec(host.split(".", 1)[0]!)?.[1]);
  const id = ids[ordinal - 1];
  if (id !== undefined) return id;
  const text = `host name ${host} does not end with a number from 1 to ${ids.length}`;
  throw new SvcError("SVC3111", `--instance has ${ids.length} ids, and the ${text}`);
}

/** Returns the data folder of an instance, which is separate for each one. */
function instanceRoot(root: string, { folder }: InstancePlan): string {
  const folderPath = join(root, folder);
  try {
    mkdirSync(folderPath, { recursive: true });
  } catch (error) {
    const text = `cannot create ${folderPath}: ${(error as Error).message}`;
    throw new SvcError("SVC3008", text, { cause: error });
  }
  return folderPath;
}

/** Returns the value of an option, a variable or a file, otherwise of the configuration. */
function givenValue(
  name: SettingName,
  config: ResolvedConfig,
  values: ServeValues,
  planned: Partial<Record<SettingName, unknown>>,
): unknown {
  const row: Setting<unknown> = SETTINGS[name];
  // Engines have no back-ends.
  if (name === "dispatcher" && values.role === "engine") return null;
  const { option, fileOption } = row;
  const value = values[(option ?? fileOption) as keyof ServeValues];
  if (value === undefined && Object.hasOwn(planned, name)) return planned[name];
  if (value === undefined) return configured(config, row);
  if (fileOption === null) return value;
  const stored = readJson(value as string);
  const problems: Problems = [];
  row.type.rule(stored, [name], problems);
  if (problems.length === 0) return stored;
  const texts = problems.map(problemText).join("\n  ");
  throw new SvcError("SVC2207", `${value}: ${texts}`);
}

/** Checks the maximum of the machine that serves, which a build cannot check. */
function checkDescriptors(dispatcher: object | null): void {
  try {
    if (dispatcher !== null) readMatrixConfig(dispatcher, openFileLimit());
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new SvcError("SVC2207", error.message, { cause: error });
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file));
  } catch (error) {
    throw new SvcError("SVC2207", `${file}: ${(error as Error).message}`, { cause: error });
  }
}

function executorCount(configured: number | "auto"): number {
  return configured === "auto" ? Math.max(1, availableParallelism() - 1) : configured;
}

/**
 * Creates the root given on the command line if its parent exists, because a mistyped path has
 * none. A configured root may appear later. An existing root must be a readable folder.
 */
function checkedRoot(
  projectDir: string,
  configuredRoot: string,
  isFromCommandLine: boolean,
): string {
  const root = isFromCommandLine ? resolve(configuredRoot) : resolve(projectDir, configuredRoot);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found
  if (/[\0-\x1f\x7f]/.test(root)) throw new SvcError("SVC3008", "root is not a path");
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined && !isFromCommandLine) return root;
  if (stats === undefined) makeRoot(root);
  else if (!stats.isDirectory()) throw new SvcError("SVC3008", `${root} is not a folder`);
  try {
    accessSync(root, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new SvcError("SVC3008", `${root} cannot be read`, { cause: error });
  }
  return root;
}

function makeRoot(root: string): void {
  try {
    mkdirSync(root);
  } catch (error) {
    const text = `folder ${root} does not exist and cannot be created: ${(error as Error).message}`;
    throw new SvcError("SVC3008", text, { cause: error });
  }
}
