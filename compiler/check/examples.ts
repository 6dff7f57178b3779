// Checks the calls in examples of plugins, because readers copy them: every argument must fit its
// parameter. The reader has already checked that query texts can be converted.

import { didYouMean } from "../../runtime/base/did-you-mean.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ExampleArgument, ExampleCall, ExampleValue } from "../record/example.js";
import {
  findNamePosition,
  findPart,
  toPlainValue,
  type ValuePath,
} from "../record/example-value.js";
import type { ParamRecord, PluginRecord } from "../record/plugin-record.js";
import type { SourceRange } from "../record/source-position.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { type ShapeFault, ShapeRule } from "./shape-rule.js";

const MAX_SHOWN = 40;

export function checkExamples(plugin: PluginRecord, types: TypeTable): Diagnostic[] {
  const rule = new ShapeRule(types, "closed");
  return plugin.examples.flatMap(({ calls }) =>
    calls.flatMap((call) => {
      const wrong = call.args.flatMap((arg) => checkArgument(plugin, rule, call, arg));
      // A misplaced or misspelled parameter often explains a missing one.
      return wrong.length > 0 ? wrong : checkRequired(plugin, rule, call);
    }),
  );
}

function checkArgument(
  plugin: PluginRecord,
  rule: ShapeRule,
  call: ExampleCall,
  arg: ExampleArgument,
): Diagnostic[] {
  const param = acceptedParams(plugin, call).find(({ name }) => name === arg.name);
  if (param === undefined) return [unknownArgument(plugin, call, arg)];
  const shape = shapeOf(param);
  if (isEmptyBody(param, arg.value)) return [];
  if (shape !== null) {
    const fault = rule.fault(shape, toPlainValue(arg.value));
    return fault === null ? [] : [wrongValue(param, arg.value, fault)];
  }
  if (param.kind === "user" || !ONLY_OBJECTS.has(param.name) || arg.value.kind !== "literal") {
    return [];
  }
  const message = `\`${param.name}\` comes first, and a literal cannot be one`;
  const help = `\`${plugin.name}(${param.name}, ...)\`, or \`${plugin.name}({ ... })\``;
  return [finding(arg.range, message, help)];
}

/** Accepts `null` as `content`, which tests of the function pass. */
function isEmptyBody({ name }: ParamRecord, value: ExampleValue): boolean {
  return name === "content" && value.kind === "literal" && value.value === null;
}

/** Reserved arguments that cannot be literals. */
const ONLY_OBJECTS: ReadonlySet<string> = new Set(["request", "response", "graph"]);

/** Returns the parameters that a call of this form can have. */
function acceptedParams({ params }: PluginRecord, { form }: ExampleCall): readonly ParamRecord[] {
  if (form === "function") return params;
  const hasBody = form === "client";
  return params.filter(({ kind, name }) => kind === "user" || (hasBody && name === "content"));
}

/** Returns the shape of a parameter; null if any value is allowed. */
function shapeOf(param: ParamRecord): TypeShape | null {
  if (param.kind === "user") return param.untyped ? null : param.shape;
  if (param.name !== "content") return null;
  return param.form === "str" ? (param.shape ?? { kind: "str" }) : param.shape;
}

function unknownArgument(plugin: PluginRecord, call: ExampleCall, arg: ExampleArgument) {
  if (arg.name === null) {
    const message = `\`${plugin.name}\` takes at most ${plugin.params.length} arguments`;
    return finding(arg.range, message, "remove this argument");
  }
  return unknownName(`\`${plugin.name}\` has no parameter`, arg.name, arg.range, {
    known: acceptedParams(plugin, call).map(({ name }) => name),
    none: "no parameters",
  });
}

function unknownName(
  problem: string,
  name: string,
  range: SourceRange,
  { known, none }: { readonly known: readonly string[]; readonly none: string },
): Diagnostic {
  const message = `${problem} \`${name}\`${didYouMean(name, known)}`;
  const names = known.map((candidate) => `\`${candidate}\``).join(", ");
  return finding(range, message, known.length === 0 ? none : `one of ${names}`);
}

function wrongValue(param: ParamRecord, value: ExampleValue, fault: ShapeFault): Diagnostic {
  const part = findPart(value, fault.path);
  const path = `\`${param.name}${pathText(fault.path)}\``;
  if (fault.kind === "key") {
    const { key, known } = fault;
    const none = "an empty object";
    return unknownName(`${path} has no`, key, findNamePosition(part, key), { known, none });
  }
  const actual = valueAt(toPlainValue(value), fault.path);
  const text = actual === undefined ? "and is missing" : `not \`${clip(JSON.stringify(actual))}\``;
  return finding(part.range, `${path} must be ${fault.required}, ${text}`, typeOf(param));
}

function checkRequired(plugin: PluginRecord, rule: ShapeRule, call: ExampleCall): Diagnostic[] {
  if (call.isOpen) return [];
  const passed = new Set(call.args.map(({ name }) => name));
  return acceptedParams(plugin, call)
    .filter((param) => isRequired(param, rule, call) && !passed.has(param.name))
    .map((param) => {
      const message = `\`${plugin.name}\` requires \`${param.name}\`, which this call omits`;
      return finding(call.range, message, typeOf(param));
    });
}

function isRequired(param: ParamRecord, rule: ShapeRule, { form }: ExampleCall): boolean {
  if (param.kind === "user") return param.required;
  // Without a body, `content` is null, or the empty text.
  const isBody = form === "client" && param.shape !== null;
  return isBody && rule.fault(param.shape, param.form === "str" ? "" : null) !== null;
}

function typeOf(param: ParamRecord): string {
  if (param.kind === "user") return `\`${param.name}: ${param.typeText}\``;
  return `a value of the type of \`${param.name}\``;
}

function pathText(path: ValuePath): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
}

function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((part, key) => {
    const hasKey = typeof part === "object" && part !== null && Object.hasOwn(part, key);
    return hasKey ? (part as Readonly<Record<string | number, unknown>>)[key] : undefined;
  }, value);
}

function clip(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function finding({ position, length }: SourceRange, message: string, help: string): Diagnostic {
  return { code: "SVC1047", severity: "error", position, length, message, help };
}
