// `.svc/plugins.d.ts`: the types of `.svc/plugins.js`. `PluginRegistry` maps each plugin to its
// client-side parameters and result, so that tests of the project are type-checked.

import { MERGED_RESPONSE } from "../../argspec/typescript/declarations.js";
import {
  isFile,
  type PluginRecord,
  type ResultRecord,
  type UserParam,
} from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { HEADER, identifier, propertyKey, quote } from "./text.js";
import { docText, typeText } from "./type-text.js";

/** @param plugins in plugin-number order */
export function emitRegistryTypes(plugins: readonly PluginRecord[], types: TypeTable): string {
  const entries = [...new Set(plugins.map(({ name }) => name))].map((name) => {
    const find = (role: PluginRecord["role"]) =>
      plugins.find((plugin) => plugin.name === name && plugin.role === role);
    return registryEntry(find("pre"), find("engine"), find("post"));
  });
  const isSorted = plugins.some((plugin) => plugin.result.kind === "response");
  const isHttp = plugins.some((plugin) => plugin.result.kind === "http");
  return [
    HEADER,
    `import type { ${isHttp ? "HttpResponse, " : ""}PluginEntry } from "svc-server";\n`,
    ...(isSorted ? [MERGED_RESPONSE] : []),
    ...Object.entries(types).map(([name, shape]) => typeDeclaration(name, shape)),
    "/** Query, body and result of each plugin, as clients see them. */\n" +
      `export interface PluginRegistry {\n${entries.join("")}}\n`,
    "export declare const plugins: readonly PluginEntry[];\n",
  ].join("\n");
}

function typeDeclaration(name: string, shape: TypeShape): string {
  return `export type ${identifier(name)} = ${typeText(shape)};\n`;
}

/** A request passes the pre-processor first and the post-processor last. */
function registryEntry(
  pre: PluginRecord | undefined,
  engine: PluginRecord | undefined,
  post: PluginRecord | undefined,
): string {
  const plugin = (pre ?? engine ?? post)!;
  const params = plugin === post ? [] : plugin.params;
  const users = params.filter((param) => param.kind === "user" && !isFile(param)) as UserParam[];
  const content = params.find((param) => param.name === "content");
  // A lone post-processor has the parameters of an engine elsewhere.
  const query = plugin === post ? "Record<string, unknown>" : queryText(users);
  const result = (post ?? engine)?.result;
  const lines = [
    `    query: ${query};`,
    ...(content?.kind === "reserved" ? [`    content: ${contentText(content)};`] : []),
    `    result: ${result === undefined ? "unknown" : resultText(result)};`,
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
  if (result.kind === "value" && result.shape !== null) {
    return typeText(result.shape, "    ");
  }
  if (result.kind === "response") {
    const [sortkey, item] = result.shape?.kind === "tuple" ? result.shape.items : [];
    const texts = [sortkey, item].map((shape) => (shape ? typeText(shape, "    ") : "unknown"));
    return `PluginResponse<${texts.join(", ")}>`;
  }
  return result.kind === "http" ? httpText(result) : "unknown";
}

function httpText({ mediaTypes = [], shape }: ResultRecord): string {
  const types = mediaTypes.map((type) =>
    type.endsWith("/*") ? `\`${type.slice(0, -1)}\${string}\`` : quote(type),
  );
  const response = types.length === 0 ? "HttpResponse" : `HttpResponse<${types.join(" | ")}>`;
  return shape === null ? response : `${response} | ${typeText(shape, "    ")}`;
}
