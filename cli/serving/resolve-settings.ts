// What a server is started with: options and variables over the configuration of the build.

import { accessSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ArgumentError, SvcError } from "../../runtime/base/errors.js";
import { descriptorLimit } from "../../runtime/dispatch/descriptor-limit.js";
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
import type { ServeValues } from "./options.js";

/**
 * @throws SvcError SVC2205 for a setting that cannot have its value, SVC2206 for one that is not
 *   supported, SVC2207 for a dispatcher, and SVC3008 for a root, that cannot be used
 */
export async function resolveSettings(
  projectDir: string,
  config: ResolvedConfig,
  values: ServeValues,
): Promise<ServerSettings> {
  refuseUnbuilt(config);
  const settings = checkSettings((name) => given(name, config, values));
  checkDescriptors(settings.dispatcher);
  return {
    ...settings,
    projectDir,
    root: checkedRoot(projectDir, settings.root, values.root !== undefined),
    ip: await resolveAddress(settings.ip),
    adminIp: await resolveAddress(settings.adminIp),
    executors: executorCount(settings.executors),
  };
}

/** What an option, a variable or a file says of a setting, else the configuration. */
function given(name: SettingName, config: ResolvedConfig, values: ServeValues): unknown {
  const row: Setting<unknown> = SETTINGS[name];
  // An engine has no back-ends at all.
  if (name === "dispatcher" && values.role === "engine") return null;
  const { option, fileOption } = row;
  const value = values[(option ?? fileOption) as keyof ServeValues];
  if (value === undefined) return configured(config, row);
  if (fileOption === null) return value;
  const held = readJson(value as string);
  const problems: Problems = [];
  row.type.rule(held, [name], problems);
  if (problems.length === 0) return held;
  const texts = problems.map(problemText).join("\n  ");
  throw new SvcError("SVC2207", `${value}: ${texts}`);
}

/** What would change the meaning of answers must not be passed over in silence. */
function refuseUnbuilt({ descriptor }: ResolvedConfig): void {
  if (descriptor === null) return;
  throw new SvcError("SVC2206", "`descriptor` of svc.config.ts is not supported yet");
}

/** How many there may be is known where the server runs, not where it is built. */
function checkDescriptors(dispatcher: object | null): void {
  try {
    if (dispatcher !== null) readMatrixConfig(dispatcher, descriptorLimit());
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new SvcError("SVC2207", error.message, { cause: error });
  }
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
 * A root that was asked for is made, if its parent is there: a path with a slip is not. The
 * configured one may come into being later. What is there must be a folder that can be read.
 */
function checkedRoot(projectDir: string, wanted: string, isAsked: boolean): string {
  const root = isAsked ? resolve(wanted) : resolve(projectDir, wanted);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found
  if (/[\0-\x1f\x7f]/.test(root)) throw new SvcError("SVC3008", "the root is no path");
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats === undefined && !isAsked) return root;
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
    const text = `there is no folder ${root}, and it cannot be made: ${(error as Error).message}`;
    throw new SvcError("SVC3008", text, { cause: error });
  }
}
