// Loads the description records of the interface ("Plugin description record"). Unlike an argspec,
// they list reserved arguments in signature order.

import { basename, dirname, resolve } from "node:path";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import { descriptions } from "../../runtime/builtin/.generated/descriptions.js";
import { descriptions as graph } from "../../runtime/builtin/.generated/graph/descriptions.js";
import type { PluginDescription } from "../../runtime/plugin/contract/plugin-entry.js";
import { readManifest } from "../../runtime/settings/manifest.js";
import { fetchResponse, isUrl } from "./fetch-response.js";
import { pathInfo } from "./load-argspec.js";

/**
 * @param plugin null: the whole service without built-in plugins
 * @throws SvcError SVC3014, SVC3016, SVC3017, or SVC3018 if the plugin does not exist
 */
export async function loadRecords(source: string, plugin: string | null): Promise<unknown> {
  const records = isUrl(source) ? await fromServer(source, plugin) : fromBuild(source, plugin);
  if (records.length > 0 || plugin === null) return records;
  throw new SvcError("SVC3018", `plugin not found: \`${plugin}\``);
}

async function fromServer(url: string, plugin: string | null): Promise<readonly unknown[]> {
  const query = plugin === null ? "plugins" : `argspec?plugin=${encodeURIComponent(plugin)}`;
  const { status, response } = await fetchResponse(url, `/svc/builtin/${query}`);
  if (status === "ERROR") return [];
  if (Array.isArray(response)) return response;
  throw new SvcError("SVC3017", `server at ${url} does not publish plugin records`);
}

function fromBuild(source: string, plugin: string | null): readonly PluginDescription[] {
  const folder = resolve(source);
  if (!pathInfo(folder)?.isDirectory()) {
    throw new SvcError("SVC3014", `${source} is not a folder; an argspec file has no records`);
  }
  const manifest = readManifest(basename(folder) === BUILD_FOLDER ? dirname(folder) : folder);
  if (manifest === null) throw new SvcError("SVC3014", `${source} is not built`);
  const records = manifest.plugins.map(({ description }) => description);
  if (plugin === null) return records;
  return [...records, ...descriptions, ...graph].filter(
    ({ path }) => path.slice(path.lastIndexOf("/") + 1) === plugin,
  );
}
