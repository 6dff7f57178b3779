// The text that `svc argspec` prints. Generators are loaded when their form is asked for: that of
// declarations takes longer to load than all else.

import type { Argspec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { selectPlugin } from "../../argspec/select.js";
import { nearestHint } from "../../compiler/diagnostics/nearest.js";
import { SvcError } from "../../runtime/errors.js";
import { loadArgspec } from "./load-argspec.js";
import { loadRecords } from "./load-records.js";

export interface ArgspecQuestion {
  /** Null: all of the service, without the built-in ones. */
  readonly plugin: string | null;
  readonly format: "schema" | "openapi" | "typescript" | "record";
  /** Only with `openapi`. */
  readonly jsonParams: "content" | "string" | null;
}

/** @throws SvcError for sources without an argspec and plugins that are not there */
export async function argspecText(source: string, question: ArgspecQuestion): Promise<string> {
  const { plugin, format, jsonParams } = question;
  if (jsonParams !== null && format !== "openapi") {
    throw new SvcError("SVC3003", "--json-params goes with `--format openapi` only");
  }
  if (format === "record") return jsonText(await loadRecords(source, plugin));
  const whole = await loadArgspec(source);
  const argspec = plugin === null ? whole : onlyPlugin(whole, plugin);
  switch (format) {
    case "schema":
      return jsonText(argspec);
    case "openapi": {
      const { openapiDocument } = await import("../../argspec/openapi/document.js");
      return jsonText(openapiDocument(argspec, jsonParams === null ? {} : { jsonParams }));
    }
    case "typescript": {
      const { emitTypescriptTypes } = await import("../../argspec/typescript/client.js");
      return emitTypescriptTypes(argspec);
    }
  }
}

/** A plugin of the service, else a built-in one. */
function onlyPlugin(argspec: Argspec, name: string): Argspec {
  const own = selectPlugin(argspec, name);
  if (own.plugins.length > 0) return own;
  const builtin = selectPlugin(BUILTINS, name);
  if (builtin.plugins.length > 0) return { ...builtin, service: argspec.service };
  const names = [...argspec.plugins, ...BUILTINS.plugins].map((plugin) => plugin.name);
  throw new SvcError("SVC3018", `there is no plugin \`${name}\`${nearestHint(name, names)}`);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
