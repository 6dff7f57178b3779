// `.svc/plugins.d.ts`: the types beside `.svc/plugins.js`. `PluginRegistry` maps each plugin to
// what it takes and gives, so that tests and clients of the project are checked against it.

import type { PluginRecord, ResultRecord, UserParam } from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { HEADER, identifier, propertyKey } from "./text.js";
import { docText, typeText } from "./type-text.js";

/** @param plugins in plugin-number order */
export function emitRegistryTypes(plugins: readonly PluginRecord[], types: TypeTable): string {
  const engines = plugins.filter((plugin) => plugin.role === "engine");
  return [
    HEADER,
    `import type { ${packageTypes(engines).join(", ")} } from "svc-server";\n`,
    ...Object.entries(types).map(([name, shape]) => typeDeclaration(name, shape)),
    "/** What each engine takes in its query and body, and what it answers. */\n" +
      `export interface PluginRegistry {\n${engines.map(registryEntry).join("")}}\n`,
    "export declare const plugins: readonly PluginEntry[];\n",
  ].join("\n");
}

function typeDeclaration(name: string, shape: TypeShape): string {
  return `export type ${identifier(name)} = ${typeText(shape)};\n`;
}

function registryEntry(plugin: PluginRecord): string {
  const users = plugin.params.filter((param) => param.kind === "user");
  const content = plugin.params.find((param) => param.name === "content");
  const lines = [
    `    query: ${queryText(users)};`,
    ...(content?.kind === "reserved" ? [`    content: ${contentText(content)};`] : []),
    `    result: ${resultText(plugin.result)};`,
  ];
  const body = `  ${propertyKey(plugin.name)}: {\n${lines.join("\n")}\n  };\n`;
  return docText(plugin.summary, "  ") + body;
}

function queryText(users: readonly UserParam[]): string {
  if (users.length === 0) {
    return "Record<string, never>";
  }
  const lines = users.map(
    (param) =>
      docText(param.description, "      ") +
      `      ${propertyKey(param.name)}${param.required ? "" : "?"}: ` +
      `${typeText(param.shape, "      ")};\n`,
  );
  return `{\n${lines.join("")}    }`;
}

function contentText(content: {
  readonly form: string | null;
  readonly shape: TypeShape | null;
}): string {
  if (content.form === "json") {
    return content.shape === null ? "unknown" : typeText(content.shape, "    ");
  }
  return content.form === "str" ? "string" : "Uint8Array";
}

function resultText(result: ResultRecord): string {
  if (result.kind === "value") {
    return typeText(result.shape, "    ");
  }
  if (result.kind === "response") {
    const [sortkey, item] = result.shape.kind === "tuple" ? result.shape.items : [];
    const texts = [sortkey, item].map((shape) => (shape ? typeText(shape, "    ") : "unknown"));
    return `PluginResponse<${texts.join(", ")}>`;
  }
  return "unknown";
}

function packageTypes(engines: readonly PluginRecord[]): string[] {
  const responds = engines.some((plugin) => plugin.result.kind === "response");
  return responds ? ["PluginEntry", "PluginResponse"] : ["PluginEntry"];
}
