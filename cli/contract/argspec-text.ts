// The text that `svc argspec` prints.

import type { Argspec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { type ArgspecForm, argspecForm, findPlugin } from "../../argspec/forms.js";
import { jsonFile } from "../../compiler/emit/text.js";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";
import { loadArgspec } from "./load-argspec.js";
import { loadRecords } from "./load-records.js";

export interface ArgspecRequest {
  /** Null: the whole service without built-in plugins. */
  readonly plugin: string | null;
  readonly format: ArgspecForm | "record";
  /** Only for `openapi`. */
  readonly jsonParams: "content" | "string" | null;
}

/** @throws SvcError if the source has no argspec, or the plugin does not exist */
export async function argspecText(source: string, request: ArgspecRequest): Promise<string> {
  const { plugin, format, jsonParams } = request;
  if (jsonParams !== null && format !== "openapi") {
    throw new SvcError("SVC3003", "--json-params requires `--format openapi`");
  }
  if (format === "record") return jsonFile(await loadRecords(source, plugin));
  const argspec = await loadArgspec(source);
  const selected = plugin === null ? argspec : onlyPlugin(argspec, plugin);
  const output = await argspecForm(format, selected, jsonParams ?? undefined);
  return format === "typescript" ? String(output) : jsonFile(output);
}

function onlyPlugin(argspec: Argspec, name: string): Argspec {
  const spec = findPlugin(argspec, name);
  if (spec !== null) return spec;
  const names = [...argspec.plugins, ...BUILTINS.plugins].map((plugin) => plugin.name);
  throw new SvcError("SVC3018", `plugin not found: \`${name}\`${didYouMean(name, names)}`);
}
