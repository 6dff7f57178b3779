// Returns the configuration that a server starts with: the one stored in the build, or a newly
// evaluated one if `svc.config.ts` reads the environment.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import { type ResolvedConfig, resolveConfig } from "../../runtime/settings/config-rule.js";
import { CONFIG_OUTPUT, type Manifest } from "../../runtime/settings/manifest.js";
import { type Problems, problemText } from "../../runtime/settings/rules.js";

/** @throws SvcError SVC3170 if the configuration does not run here or has invalid values */
export async function currentConfig(folder: string, manifest: Manifest): Promise<ResolvedConfig> {
  if (manifest.outputs[CONFIG_OUTPUT] === undefined) return manifest.config;
  const url = pathToFileURL(join(folder, BUILD_FOLDER, CONFIG_OUTPUT));
  const problems: Problems = [];
  const config = resolveConfig(await load(url), problems);
  if (problems.length > 0) {
    throw new SvcError("SVC3170", problems.map(problemText).join("\n  "));
  }
  return { ...config, name: config.name ?? manifest.config.name };
}

async function load(url: URL): Promise<unknown> {
  try {
    return ((await import(url.href)) as { default?: unknown }).default;
  } catch (error) {
    throw new SvcError("SVC3170", (error as Error).message, { cause: error });
  }
}
