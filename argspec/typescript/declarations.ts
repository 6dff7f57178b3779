// The declarations of a client: plain interfaces and one class with plain signatures, which the
// type checker reads quickly. Only names of the name table and types of `declareTypes` are printed
// as code.

import { commentLine, commentText, docComment, indent } from "./doc-comment.js";
import { errorDeclarations } from "./error-types.js";
import { exampleCode } from "./examples.js";
import type { Sections } from "./scripts.js";
import type { Method, TypedKind } from "./section.js";

/** A section with its printed types. */
export interface PrintedSection {
  readonly methods: readonly Method[];
  readonly types: readonly string[];
  readonly errors: readonly TypedKind[];
}

const RUNTIME_TYPES =
  "BackEndLevel CallDefaults CallOptions ClientOptions Envelope ErrorKind Fetch HttpResponse " +
  "PluginResponse Token";

/**
 * Returns `index.d.ts`.
 * @param runtime module with the declarations of the client runtime
 */
export function clientDeclarations(
  { plugins, builtin, services }: Sections<PrintedSection>,
  header: string,
  runtime: string,
): string {
  const errors = errorDeclarations(plugins.errors, runtime);
  const names = RUNTIME_TYPES.split(" ").join(",\n  ");
  const client = [
    "  constructor(options: ClientOptions);\n",
    "  /** Returns a client with other options; both share one retry budget. */\n",
    "  with(options: CallOptions & Partial<ClientOptions>): Client;\n",
    "  /** Built-in plugins of every server. */\n",
    "  readonly builtin: Builtin;\n",
    "  /** Status services of every server. */\n",
    "  readonly services: Services;\n",
    ...plugins.methods.map((method) => `\n${indent(methodDeclaration(method, "client", ""))}`),
  ];
  return [
    `${header}
import type {
  CallOptions,
  ClientOptions,
  Envelope,
  HttpResponse,
  PluginResponse,
} from "${runtime}";
${errors.head}
export type {
  ${names},
} from "${runtime}";
`,
    ...plugins.types,
    ...errors.types,
    `/** Calls the plugins of the service. */
export declare class Client {
${client.join("")}}
`,
    group("Builtin", "builtin", "Built-in plugins of every server.", builtin),
    group("Services", "services", "Status services of every server.", services),
  ].join("\n");
}

/** Declares an interface of methods, and a namespace of the same name for their types. */
function group(name: string, member: string, comment: string, section: PrintedSection): string {
  const { methods, types } = section;
  const members = methods.map((method) =>
    methodDeclaration(method, `client.${member}`, `${name}.`),
  );
  return `/** ${comment} */
export interface ${name} {
${indent(members.join("\n"))}}

export declare namespace ${name} {
${indent(types.join("\n"))}}
`;
}

/** @param scope namespace of the types, followed by a dot */
function methodDeclaration(method: Method, object: string, scope: string): string {
  const { name, rawName, isParamsOptional } = method;
  const [params, result] = [`${scope}${method.params}`, `${scope}${method.result}`];
  const parameters = `(params${isParamsOptional ? "?" : ""}: ${params}, options?: CallOptions)`;
  if (method.form === "page") return pageDeclaration(method, object, result, parameters);
  const signature = `${name}${parameters}: ${answered(method, result)}`;
  const whole = `${methodComment(method, object)}${signature};\n`;
  if (rawName === null) return whole;
  const comment = docComment([`\`${name}\` with the whole envelope.`, deprecation(method)]);
  return `${whole}${comment}${rawName}${parameters}: Promise<Envelope<${result}>>;\n`;
}

function answered({ form }: Method, result: string): string {
  return form === "stream" ? `AsyncGenerator<${result}, void, undefined>` : `Promise<${result}>`;
}

function methodComment(method: Method, object: string): string {
  const { operation } = method;
  return docComment([
    commentText(operation.description),
    operation.returns === "" ? "" : `@returns ${commentLine(operation.returns)}`,
    ...operation.errors.map(({ exception, description }) =>
      `@throws {SvcError} ${commentLine(`${exception}: ${description}`)}`.replace(/: $/, ""),
    ),
    ...operation.examples.map(
      (example) => `@example\n${exampleCode(example, `${object}.${method.name}`, method.form)}`,
    ),
    deprecation(method),
  ]);
}

/** A function with a member for all pages. */
function pageDeclaration(
  method: Method,
  object: string,
  result: string,
  parameters: string,
): string {
  const { name, rawName } = method;
  const items = `AsyncGenerator<${result}["items"][number], void, undefined>`;
  const comment = docComment([`\`${name}\` with the whole envelope.`, deprecation(method)]);
  return (
    `${methodComment(method, object)}readonly ${name}: {\n` +
    `  ${parameters}: Promise<${result}>;\n` +
    "  /** Yields the items of this page and of all later ones. */\n" +
    `  all${parameters}: ${items};\n};\n` +
    (rawName === null ? "" : `${comment}${rawName}${parameters}: Promise<Envelope<${result}>>;\n`)
  );
}

function deprecation({ operation }: Method): string {
  return operation.deprecated ? `@deprecated ${commentLine(operation.deprecation)}`.trim() : "";
}

/** Returns types only, with the parameters and result of each plugin. */
export function typeDeclarations({ methods, types }: PrintedSection, header: string): string {
  const members = methods.map((method) => {
    const { name, params, result, isParamsOptional } = method;
    const parameters = `(params${isParamsOptional ? "?" : ""}: ${params})`;
    return `${methodComment(method, "client")}${name}${parameters}: ${answered(method, result)};\n`;
  });
  const isSorted = methods.some(({ operation }) => operation.result.kind === "response");
  const isHttp = methods.some(({ form }) => form === "http");
  return [
    `${header}\n`,
    ...(isSorted ? [MERGED_RESPONSE] : []),
    ...(isHttp ? [HTTP_RESPONSE] : []),
    ...types,
    `/** Plugins by their names. */\nexport interface Plugins {\n${indent(members.join("\n"))}}\n`,
  ].join("\n");
}

/** Identical to the client runtime's. */
export const MERGED_RESPONSE = `/** Items by their keys, merged from all partitions. */
export interface PluginResponse<K, T> {
  level: number;
  levelparts: number;
  partials: number;
  hitcount: number;
  aggregator: [number, number, number, number];
  message?: string;
  meta: unknown;
  entries: [K, T][];
}
`;

/** The members whose types a plugin declares. */
const HTTP_RESPONSE = `/** A response without an envelope. */
export interface HttpResponse<M extends string = string> {
  status: number;
  type: M;
}
`;
