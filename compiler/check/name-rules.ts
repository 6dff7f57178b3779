// Rules for the names of plugins, which become paths, and of parameters, which become query keys.

import { MAX_PLUGIN_NAME_LENGTH } from "../../runtime/base/limits.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isFile, type PluginRecord } from "../record/plugin-record.js";
import { paramError, pluginError } from "./diagnostics.js";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ALLOWED = "use only letters, digits and underscores; do not start with a digit";

/** As an object key, `__proto__` would set the prototype. */
const FORBIDDEN = "__proto__";

export function checkPluginName(plugin: PluginRecord): Diagnostic[] {
  const { name } = plugin;
  if (!isAllowed(name)) {
    const message = `invalid plugin name \`${name}\`: ${reason(name)}`;
    return [pluginError(plugin, "SVC1020", message, suggestion(name))];
  }
  if (name.length > MAX_PLUGIN_NAME_LENGTH) {
    const message = `name has ${name.length} characters; the maximum is ${MAX_PLUGIN_NAME_LENGTH}`;
    return [pluginError(plugin, "SVC1020", message, "a shorter name")];
  }
  return [];
}

/** Reports files in a plugin that also has another body, or cannot have one. */
export function checkFiles(plugin: PluginRecord): Diagnostic[] {
  const [file] = plugin.params.filter(isFile);
  const content = plugin.params.find((param) => param.name === "content");
  if (file === undefined) return [];
  if (plugin.role === "engine" && content === undefined) return [];
  const message =
    content === undefined
      ? `${plugin.role} \`${plugin.name}\` cannot take the file \`${file.name}\``
      : `\`content\` and the file \`${file.name}\` are both the body`;
  return [paramError(file, "SVC1154", message, "files in an engine, without `content`")];
}

export function checkParameterNames(plugin: PluginRecord): Diagnostic[] {
  return plugin.params
    .filter(({ kind, name }) => kind === "user" && !isAllowed(name))
    .map((param) => {
      const message = `\`${param.name}\` is not a valid query key: ${reason(param.name)}`;
      return paramError(param, "SVC1022", message, suggestion(param.name));
    });
}

function isAllowed(name: string): boolean {
  return NAME.test(name) && name !== FORBIDDEN;
}

function reason(name: string): string {
  return name === FORBIDDEN ? "reserved by JavaScript" : ALLOWED;
}

/** Letters without a decomposition into a base letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue", ß: "ss", æ: "ae", Æ: "Ae" },
  ...{ ø: "oe", Ø: "Oe", œ: "oe", Œ: "Oe", å: "aa", Å: "Aa", ð: "d", þ: "th", ł: "l", Ł: "L" },
  ...{ đ: "d", Đ: "D", ı: "i" },
};

/** Suggests a valid name; words in other scripts need a translation. */
function suggestion(text: string): string {
  if (text === FORBIDDEN) return "`proto`";
  const latin = [...text.normalize("NFC")].map((letter) => LETTERS[letter] ?? letter).join("");
  const plain = latin.normalize("NFD").replace(/\p{M}/gu, "");
  if (/[\p{L}\p{N}]/u.test(plain.replace(/[A-Za-z0-9]/g, ""))) return "a name in Latin letters";
  const word = plain.replace(/[^A-Za-z0-9_]+/g, "_");
  return `\`${NAME.test(word) ? word : `_${word}`}\``;
}

/** A name can have one engine, or one pre-processor and one post-processor. */
export function checkDuplicateNames(plugins: readonly PluginRecord[]): Diagnostic[] {
  const byName = new Map<string, PluginRecord[]>();
  for (const plugin of plugins) {
    const namesakes = byName.get(plugin.name);
    if (namesakes) namesakes.push(plugin);
    else byName.set(plugin.name, [plugin]);
  }
  return [...byName.values()].flatMap((namesakes) =>
    namesakes.flatMap((plugin) => {
      const other = namesakes.find((candidate) => candidate !== plugin && clash(plugin, candidate));
      return other ? [duplicate(plugin, other)] : [];
    }),
  );
}

function clash(a: PluginRecord, b: PluginRecord): boolean {
  return a.role === b.role || a.role === "engine" || b.role === "engine";
}

function duplicate(plugin: PluginRecord, other: PluginRecord): Diagnostic {
  const { file, line, column } = other.position;
  const message =
    `duplicate plugin name \`${plugin.name}\`: ${plugin.role} here, ${other.role} at ` +
    `${file}:${line}:${column}`;
  const help = `another name for one of them: \`/** @plugin ${plugin.name}_2 */\``;
  return pluginError(plugin, "SVC1021", message, help);
}
