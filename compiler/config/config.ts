// Finds `svc.config.ts`, evaluates it, and resolves it to plain data, together with the system
// descriptor if that is a program too.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import { type ResolvedConfig, resolveConfig } from "../../runtime/settings/config-rule.js";
import type { Problems } from "../../runtime/settings/rules.js";
import { ConfigError } from "./config-error.js";
import { evaluate, failedToLoad } from "./evaluate.js";
import { loadSystemFile, type SystemFile } from "./system-file.js";

/** In order of preference. */
export const CONFIG_FILES = ["svc.config.ts", "svc.config.mjs", "svc.config.js"];

export interface LoadedConfig {
  readonly config: ResolvedConfig;
  /** Path relative to the project; null if there is none. */
  readonly file: string | null;
  /** Files that the configuration depends on, relative to the project. */
  readonly inputs: readonly string[];
  /**
   * Code of the file if its value can change although its inputs do not, for example because it
   * reads the environment.
   */
  readonly openCode: string | null;
  /** The system descriptor, if the build evaluates it. */
  readonly system: SystemFile | null;
}

/** Module that the file imports; it resolves even before the package is installed. */
const OWN_MODULE = {
  name: "svc-server/config",
  contents: "export const defineConfig = (config) => config;",
};

/**
 * Loads the configuration of a project; without a file it has defaults.
 * @throws SvcError SVC1101 if the file does not run, ConfigError (SVC1102) if values are invalid
 */
export async function loadConfig(projectDir: string): Promise<LoadedConfig> {
  const file = CONFIG_FILES.find((name) => existsSync(join(projectDir, name)));
  const facts = packageFacts(projectDir);
  if (file === undefined) {
    const config = withFacts(resolveConfig({}, []), facts);
    return withSystem(projectDir, { config, file: null, inputs: [], openCode: null });
  }
  const example = "`export default defineConfig({ … })`";
  const evaluated = await evaluate(projectDir, file, { ...OWN_MODULE, example, code: "SVC1101" });
  const { value, inputs, openCode } = evaluated;
  const problems: Problems = [];
  const config = resolveOwn(value, problems, file);
  if (problems.length > 0) {
    throw new ConfigError(projectDir, file, problems);
  }
  return withSystem(projectDir, { config: withFacts(config, facts), file, inputs, openCode });
}

/** Getters of the configuration are code of the project, too. */
function resolveOwn(value: unknown, problems: Problems, file: string): ResolvedConfig {
  try {
    return resolveConfig(value, problems);
  } catch (error) {
    throw failedToLoad("SVC1101", file, error);
  }
}

async function withSystem(
  projectDir: string,
  loaded: Omit<LoadedConfig, "system">,
): Promise<LoadedConfig> {
  const system = await loadSystemFile(projectDir, loaded.config.descriptor);
  const inputs = [...new Set([...loaded.inputs, ...(system?.inputs ?? [])])].sort();
  return { ...loaded, inputs, system };
}

type PackageFacts = Readonly<Record<"name" | "version" | "license", string | null>>;

/** Adds what the configuration omits. */
function withFacts(config: ResolvedConfig, facts: PackageFacts): ResolvedConfig {
  const { version, license } = config.api;
  const api = {
    ...config.api,
    version: version ?? facts.version,
    license: license ?? facts.license,
  };
  return { ...config, name: config.name ?? facts.name, api };
}

function packageFacts(projectDir: string): PackageFacts {
  let info: unknown = null;
  try {
    info = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
  } catch {
    // Without package.json, nothing is known about the project.
  }
  const fields = isPlainObject(info) ? info : {};
  const textOf = (key: string) => (typeof fields[key] === "string" ? fields[key] : null);
  return { name: textOf("name"), version: textOf("version"), license: textOf("license") };
}
