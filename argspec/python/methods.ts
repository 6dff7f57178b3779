// Methods of generated Python clients: one class for each group of operations, and the constants
// that the runtime needs. Names of the service are printed only as checked identifiers or as string
// literals.

import type { Argspec, ExampleSpec, ParamSpec } from "../argspec.js";
import { changesGraphs } from "../client-operation.js";
import { listStatuses } from "../error-kinds.js";
import { nameTable } from "../name-table.js";
import { isPage, type Operation } from "../operations.js";
import { type OperationPlans, planOperations } from "../typed/operation-plans.js";
import { errorClasses } from "./error-classes.js";
import { PythonNames, pascalCase } from "./python-names.js";
import { docstring, indent, literal, plainLine, plainText, stringLiteral } from "./text.js";
import { pythonViews } from "./typed-views.js";
import { collectTypes, limitsText, type PythonTypes } from "./types.js";

const MAX_COLUMNS = 100;

export interface Group {
  /** Class statement without the colon: `class Client(_ClientBase)`. */
  readonly head: string;
  /** First part of the class body. */
  readonly start: string;
  /** How an example names an instance. */
  readonly instance: string;
  readonly operations: readonly Operation[];
  readonly $defs: Argspec["$defs"];
}

/** Returns the declarations of types and operations, then the class. */
export function groupText(group: Group, module: PythonNames): readonly string[] {
  const { head, start, instance, operations, $defs } = group;
  const names = nameTable({ $defs }, operations);
  // Inside a class, a method would hide a type of the same name.
  for (const method of names.methods.values()) module.reserve(method);
  const typeNames = new Map([...names.types].map(([key, name]) => [key, module.take(name)]));
  const types = collectTypes($defs, typeNames, module);
  const constants: string[] = [];
  const plans = planOperations(operations, pythonViews($defs));
  const shared = plans.shared.length > 0 ? module.take("_plans") : "()";
  if (plans.shared.length > 0) constants.push(`${shared}: _Plans = ${literal(plans.shared)}\n`);
  const { classes, texts: errors } = errorClasses(operations, names, types, module);
  const methods = operations.flatMap((operation) => {
    const method = new Method(
      operation,
      names.methods.get(operation.name)!,
      types,
      module,
      classes,
    );
    constants.push(method.constant(planMembers(plans.byOperation.get(operation) ?? {}, shared)));
    return method.texts(instance);
  });
  const body = [start, ...methods].filter((part) => part !== "").join("\n");
  return [...types.declarations, ...errors, constants.join(""), `${head}:\n${indent(body)}`];
}

/** @param shared expression of the plans that others refer to */
function planMembers(plans: OperationPlans, shared: string): readonly string[] {
  const members = Object.entries(plans).map(([name, plan]) => `${name}=${literal(plan)}`);
  return members.length === 0 || shared === "()" ? members : [...members, `plans=${shared}`];
}

interface Input {
  readonly name: string;
  readonly param: ParamSpec;
  readonly annotation: string;
}

class Method {
  readonly #operation: Operation;
  readonly #name: string;
  readonly #constant: string;
  readonly #inputs: readonly Input[];
  /** Name of the argument that collects all other parameters; empty: none. */
  readonly #others: string;
  readonly #result: string;
  /** Error classes by error name. */
  readonly #classes: ReadonlyMap<string, string>;

  constructor(
    operation: Operation,
    name: string,
    types: PythonTypes,
    module: PythonNames,
    classes: ReadonlyMap<string, string>,
  ) {
    this.#operation = operation;
    this.#classes = classes;
    this.#name = name;
    this.#constant = module.take(`_operation_${name}`);
    const scope = new PythonNames(["self", this.#constant]);
    const { params, content, isOpen } = operation;
    const typeName = pascalCase(name);
    this.#inputs = (content === null ? params : [...params, content]).map((param) => ({
      name: scope.take(param.name),
      param,
      annotation: inputAnnotation(param, types, `${typeName}${pascalCase(param.name)}`),
    }));
    this.#others = isOpen ? scope.take("others") : "";
    this.#result = resultAnnotation(operation, types, typeName);
  }

  /** @param more further members */
  constant(more: readonly string[]): string {
    const { path, params, content, readonly, isGuarded, isText, result } = this.#operation;
    const json = params
      .filter(({ wire }) => wire === "json")
      .map(({ name }) => `${stringLiteral(name)},`);
    const members = [
      stringLiteral(path),
      ...(json.length > 0 ? [`json=(${json.join(" ")})`] : []),
      ...(content === null
        ? []
        : [`content=${stringLiteral(content.form ? "form" : content.wire)}`]),
      ...(readonly ? ["is_readonly=True"] : []),
      ...(changesGraphs(this.#operation) ? ["is_once=True"] : []),
      ...(isGuarded ? ["is_guarded=True"] : []),
      ...(isText ? ["is_text=True"] : []),
      ...(result.kind === "response" ? ["is_response=True"] : []),
      ...(result.kind === "stream" ? ["is_stream=True"] : []),
      ...(result.kind === "http" ? [`http=${httpForm(result)}`] : []),
      ...this.#errors(),
      ...more,
    ];
    const start = `${this.#constant}: _Operation[${this.#result}] = _Operation(`;
    return `${listed(start, members, ")")}\n`;
  }

  #errors(): readonly string[] {
    const kinds = [...listStatuses(this.#operation)].map(([kind, statuses]) => {
      const numbers = `(${statuses.join(", ")},)`;
      return `(${stringLiteral(kind)}, ${numbers}, ${this.#classes.get(kind)!}),`;
    });
    return kinds.length === 0 ? [] : [`errors=(${kinds.join(" ")})`];
  }

  /** Returns the method, and the variant that returns the whole envelope. */
  texts(instance: string): readonly string[] {
    const { kind } = this.#operation.result;
    const hasEnvelope = kind !== "stream" && kind !== "http";
    const result = kind === "stream" ? `Generator[${this.#result}, None, None]` : this.#result;
    const call = hasEnvelope ? "_call" : `_${kind === "stream" ? kind : "call_http"}`;
    const plain = this.#text(this.#name, result, call, this.#documentation(instance));
    if (this.#operation.isText || !hasEnvelope) return [plain];
    const pages = isPage(this.#operation.result) ? [this.#allItems()] : [];
    const raw = docstring([`The same as \`${this.#name}\` with the whole envelope.`]);
    const envelope = `Envelope[${this.#result}]`;
    return [plain, ...pages, this.#text(`${this.#name}_raw`, envelope, "_call_raw", raw)];
  }

  /** The method that yields the items of all pages. */
  #allItems(): string {
    const text = `Yields the items of this page of \`${this.#name}\` and of all later ones.`;
    const result = "Generator[Any, None, None]";
    return this.#text(`${this.#name}_all`, result, "_all_items", docstring([text]));
  }

  #text(name: string, result: string, call: string, documentation: string): string {
    const inputs = this.#inputs.map(({ name, param, annotation }) =>
      param.required ? `${name}: ${annotation}` : `${name}: ${annotation} = LEFT_OUT`,
    );
    const others = this.#others === "" ? [] : [`**${this.#others}: Any`];
    const marked = inputs.length === 0 ? others : ["*", ...inputs, ...others];
    const head = listed(`def ${name}(`, ["self", ...marked], `) -> ${result}:`);
    const values = this.#inputs.map(({ name, param }) => `${stringLiteral(param.name)}: ${name}`);
    if (this.#others !== "") values.push(`**${this.#others}`);
    const end = listed(`return self.${call}(${this.#constant}, {`, values, "})");
    return `${head}\n${indent(`${documentation}${end}`)}\n`;
  }

  #documentation(instance: string): string {
    const { description, deprecated, deprecation, returns, errors, examples } = this.#operation;
    const inputs = this.#inputs.map(({ name, param }) => entry(name, inputText(param)));
    const raised = errors.map(({ exception, description }) => entry(exception, description));
    const calls = examples.map((example) => this.#example(example, instance));
    return docstring([
      plainText(description),
      deprecated ? plainText(`Deprecated. ${deprecation}`) : "",
      section("Args", inputs),
      section("Returns", returns === "" ? [] : [plainText(returns)]),
      raised.length === 0
        ? ""
        : section("Raises", [
            "SvcError: `exception` may be",
            ...raised.map((text) => indent(text)),
          ]),
      section(calls.length > 1 ? "Examples" : "Example", calls),
    ]);
  }

  #example(example: ExampleSpec, instance: string): string {
    if (!("query" in example)) return plainText(example.text);
    const names = new Map(this.#inputs.map(({ name, param }) => [param.name, name]));
    const args = Object.entries(example.query).map(
      ([name, value]) => `${names.get(name) ?? name}=${literal(value)}`,
    );
    return plainText(`${instance}.${this.#name}(${args.join(", ")})`);
  }
}

function inputAnnotation(param: ParamSpec, types: PythonTypes, typeName: string): string {
  const { wire, schema } = param;
  if (param.form) return "Mapping[str, Union[bytes, bytearray, memoryview, IO[bytes]]]";
  const annotation = types.annotation(schema, typeName);
  if (wire !== "bytes" || annotation === "Any") return annotation;
  return `Union[${param.in === "body" ? "_Content" : "bytes"}, ${annotation}]`;
}

function resultAnnotation(
  { result, isText }: Operation,
  types: PythonTypes,
  typeName: string,
): string {
  if (isText) return "str";
  if (result.kind === "http") {
    const response = httpAnnotation(result.mediaTypes);
    if (result.schema === undefined) return response;
    return `Union[${response}, ${types.annotation(result.schema, `${typeName}Result`)}]`;
  }
  if (result.kind !== "response") return types.annotation(result.schema, `${typeName}Result`);
  const key = types.annotation(result.sortkey, `${typeName}Key`);
  return `PluginResponse[${key}, ${types.annotation(result.item, `${typeName}Item`)}]`;
}

type HttpResult = Extract<Operation["result"], { kind: "http" }>;

function httpForm({ schema }: HttpResult): string {
  return stringLiteral(schema === undefined ? "response" : "mixed");
}

/** Python has no type for strings with a common prefix. */
function httpAnnotation(types: readonly string[]): string {
  const isAny = types.length === 0 || types.some((type) => type.endsWith("/*"));
  if (isAny) return "HttpResponse[str]";
  return `HttpResponse[Literal[${types.map(stringLiteral).join(", ")}]]`;
}

function inputText({ description = "", default: preset, schema }: ParamSpec): string {
  const limits = limitsText(schema);
  const notes = [
    ...(limits === "" ? [] : [`Within ${limits}.`]),
    ...(preset === undefined ? [] : [`Default: ${plainLine(literal(preset))}.`]),
  ].join(" ");
  const text = plainText(description);
  if (notes === "" || text === "") return `${text}${notes}`;
  return `${text}${/[.!?]$/.test(text) ? "" : "."} ${notes}`;
}

function entry(name: string, text: string): string {
  return plainText(text) === "" ? "" : `${plainLine(name)}: ${indent(plainText(text)).trim()}`;
}

function section(title: string, entries: readonly string[]): string {
  const texts = entries.filter((text) => text !== "");
  return texts.length === 0 ? "" : `${title}:\n${indent(texts.join("\n"))}`;
}

/** Prints items on one line if they fit, otherwise on one line each. */
function listed(start: string, items: readonly string[], end: string): string {
  const line = `${start}${items.join(", ")}${end}`;
  if (line.length + 8 <= MAX_COLUMNS || items.length === 0) return line;
  return `${start}\n${items.map((item) => `    ${item},\n`).join("")}${end}`;
}
