// Plugins of a service as tools of the Model Context Protocol: one for each operation, with its
// documentation. Texts are passed to models unchanged, and are never inserted into code.

import type { Argspec } from "../argspec.js";
import { listOperations, type Operation } from "../operations.js";
import { type ObjectSchema, outputSchema, toolInputSchema } from "./tool-schemas.js";

/** A tool as `tools/list` returns it. */
export interface Tool {
  readonly name: string;
  /** First sentence of the description. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Present if the result is always an object. */
  readonly outputSchema?: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly idempotentHint: boolean };
}

export interface McpTool {
  readonly tool: Tool;
  readonly operation: Operation;
}

export interface ToolSet {
  /** By tool name. */
  readonly tools: ReadonlyMap<string, McpTool>;
  /** Plugins that cannot be offered as tools, with the reasons. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Maximum characters of a tool name. */
const MAX_NAME = 128;
/** Maximum characters of all tools as JSON: programs end a connection at messages of 10 MB. */
const MAX_LIST = 8_000_000;

export function buildTools(argspec: Argspec): ToolSet {
  const tools = new Map<string, McpTool>();
  const leftOut: { name: string; reason: string }[] = [];
  let length = 0;
  for (const operation of listOperations(argspec)) {
    const { name } = operation;
    if (name.length > MAX_NAME) {
      leftOut.push({ name, reason: `names of tools have ${MAX_NAME} characters at most` });
      continue;
    }
    if (operation.content?.form) {
      leftOut.push({ name, reason: "tools cannot send files" });
      continue;
    }
    const tool = toolOf(operation, argspec.$defs);
    const added = JSON.stringify(tool).length;
    if (length + added > MAX_LIST) {
      leftOut.push({ name, reason: `all tools together have ${MAX_LIST} characters at most` });
      continue;
    }
    length += added;
    tools.set(name, { tool, operation });
  }
  return { tools, leftOut };
}

function toolOf(operation: Operation, $defs: Argspec["$defs"]): Tool {
  const { name, summary, readonly } = operation;
  const title = plainLine(summary).replace(/\.$/, "");
  const output = outputSchema(operation, $defs);
  return {
    name,
    ...(title !== "" && { title }),
    description: plainText(describe(operation)),
    inputSchema: toolInputSchema(operation, $defs),
    ...(output !== null && { outputSchema: output }),
    // A retryable plugin changes nothing.
    annotations: { readOnlyHint: readonly, idempotentHint: readonly },
  };
}

/** Controls except line ends, and characters that change the direction of a text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text from a server is shown to people and must not control their terminals. */
function plainText(text: string): string {
  return text.replace(CONTROLS, "\ufffd");
}

function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

function describe(operation: Operation): string {
  const { description, deprecated, deprecation, returns, errors, examples } = operation;
  const warning = deprecation === "" ? "Deprecated." : `Deprecated: ${deprecation}`;
  const thrown = errors.map((error) => `${error.exception}: ${error.description}`);
  // Checked queries are examples of arguments; other examples are written for other languages.
  const calls = examples
    .map((example) => ("query" in example ? JSON.stringify(example.query) : "{}"))
    .filter((call) => call !== "{}");
  const parts = [
    description,
    deprecated ? warning : "",
    returns === "" ? "" : `Returns: ${returns}`,
    list("Errors", thrown),
    list("Examples", calls),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `- ${line}`)].join("\n");
}
