// Helpers for rules that report diagnostics.

import type { ErrorCodeName } from "../../runtime/base/error-codes.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ParamRecord, PluginRecord } from "../record/plugin-record.js";

/** Reports an error about a plugin, at its name. */
export function pluginError(
  plugin: PluginRecord,
  code: ErrorCodeName,
  message: string,
  help: string,
): Diagnostic {
  const { length } = plugin.exportPath.slice(plugin.exportPath.lastIndexOf(".") + 1);
  return { code, severity: "error", position: plugin.position, length, message, help };
}

/** Reports an error about a parameter, at its name. */
export function paramError(
  param: ParamRecord,
  code: ErrorCodeName,
  message: string,
  help: string,
): Diagnostic {
  const { length } = param.name;
  return { code, severity: "error", position: param.position, length, message, help };
}
