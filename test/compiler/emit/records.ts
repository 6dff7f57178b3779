// Hand-written records that together use every part of the emitters.

import type { Wire } from "../../../argspec/wire.js";
import type { ExampleArgument, ExampleCall } from "../../../compiler/record/example.js";
import type {
  ParamRecord,
  PluginRecord,
  ReservedForm,
  ReservedName,
  UserParam,
} from "../../../compiler/record/plugin-record.js";
import type { TypeShape, TypeTable } from "../../../compiler/record/type-shape.js";

const position = { file: "plugins/shop.ts", line: 3, column: 1 };

export function reserved(
  name: ReservedName,
  form: ReservedForm = null,
  shape: TypeShape | null = null,
): ParamRecord {
  const description = name === "content" ? "what is posted" : "";
  return { kind: "reserved", name, form, shape, description, position };
}

export function user(name: string, wire: Wire, more: Partial<UserParam> = {}): UserParam {
  return {
    kind: "user",
    name,
    wire,
    shape: { kind: wire },
    required: true,
    default: null,
    typeText: wire,
    description: "",
    position,
    ...more,
  };
}

export function plugin(
  name: string,
  params: readonly ParamRecord[],
  more: Partial<PluginRecord> = {},
): PluginRecord {
  return {
    kind: "plugin",
    name,
    role: "engine",
    graph: null,
    readonly: false,
    inline: false,
    isPublic: false,
    scopes: [],
    async: false,
    before: [],
    guards: [],
    timeoutMs: null,
    module: "plugins/shop.ts",
    exportPath: name,
    position,
    summary: "",
    description: "",
    deprecated: false,
    deprecation: "",
    examples: [],
    throws: [],
    job: null,
    params,
    result: { kind: "value", shape: { kind: "json" }, typeText: "json" },
    returns: "",
    forwards: [],
    ...more,
  };
}

/** @param values undefined for arguments that the example omits */
function call(values: Readonly<Record<string, unknown>>): ExampleCall {
  const span = { position, length: 1 };
  const args = Object.entries(values).map(([name, value]): ExampleArgument => {
    const kind = value === undefined ? "unknown" : "literal";
    return { name, range: span, value: { kind, value, range: span } };
  });
  return { form: "function", range: span, args, isOpen: false };
}

const literals = (...values: (string | number)[]): TypeShape => ({
  kind: "union",
  members: values.map((value) => ({ kind: "literal", value })),
});

function refTo(name: string): TypeShape {
  return { kind: "ref", name };
}

function tuple(...items: TypeShape[]): TypeShape {
  return { kind: "tuple", items, required: items.length, rest: null };
}

const optional = { required: false } as const;
const int: TypeShape = { kind: "int" };
const float: TypeShape = { kind: "float" };
const str: TypeShape = { kind: "str" };
const property = (name: string, shape: TypeShape, optional = false, description = "") => ({
  name,
  optional,
  shape,
  description,
});

const object = (...properties: ReturnType<typeof property>[]): TypeShape => ({
  kind: "object",
  properties,
  additional: null,
});
const tag = (value: string) => property("kind", { kind: "literal", value });

export const types: TypeTable = {
  Form: {
    kind: "union",
    members: [
      { kind: "null" },
      object(tag("circle"), property("r", float)),
      object(property("kind", literals("square", "rect")), property("at", refTo("Point"))),
    ],
  },
  Loose: {
    kind: "union",
    members: [str, object(property("a", int)), object(property("b", int)), refTo("Pair"), tuple()],
  },
  Pair: { kind: "tuple", items: [float, float], required: 2, rest: null },
  Point: {
    kind: "object",
    properties: [
      property("x", float, false, "metres east"),
      property("y", float),
      {
        ...property("label", { kind: "union", members: [str, { kind: "null" }] }, true),
        deprecated: true as const,
      },
    ],
    additional: null,
    description: "A place.\n\nIn a plane.",
  },
  Tree: {
    kind: "object",
    properties: [
      property("value", int),
      property("children", { kind: "array", items: { kind: "ref", name: "Tree" } }),
    ],
    additional: null,
  },
  Wide: {
    kind: "object",
    properties: [
      property("constructor", str, true),
      property("odd name", { kind: "bool" }),
      property("pair", { kind: "tuple", items: [int, str], required: 1, rest: null }),
      property("many", { kind: "tuple", items: [int], required: 1, rest: str }),
      property("inner", { kind: "object", properties: [property("z", int)], additional: null }),
      property("free", { kind: "json" }),
    ],
    additional: { kind: "ref", name: "Point" },
  },
};

/** In plugin-number order. */
export const plugins: readonly PluginRecord[] = [
  plugin("Shop", [reserved("request"), user("item", "str")], {
    module: "plugins/a b/shop class.ts",
    exportPath: "Shop.buy",
  }),
  plugin(
    "add",
    [reserved("request"), user("a", "int"), user("b", "int", withDefault(1, "how much to add"))],
    {
      module: "plugins/add.ts",
      summary: "Adds.",
      description: 'Adds.\n\nTwo "numbers" \u2028 */ `a',
      examples: [
        { text: "?a=1&b=2", calls: [call({ a: 1, b: 2 })] },
        { text: "add(request, one, 2)", calls: [call({ a: undefined, b: 2 })] },
        { text: "add 1 and 2", calls: [] },
      ],
      throws: [{ exception: "NotFound", description: "when nothing is there" }],
      returns: "the sum",
      result: { kind: "value", shape: int, typeText: "int" },
    },
  ),
  plugin("ask", [reserved("request"), user("key", "str"), user("query", "str", optional)]),
  plugin("bare", [reserved("request")], {
    deprecated: true,
    deprecation: "Use add.",
    readonly: true,
  }),
  plugin("delete", [
    reserved("request"),
    reserved("method"),
    reserved("headers", "dict"),
    reserved("content", "json", { kind: "array", items: { kind: "ref", name: "Point" } }),
  ]),
  plugin("raw", [reserved("request"), reserved("headers", "bytes"), reserved("content", "bytes")], {
    result: { kind: "value", shape: { kind: "bytes" }, typeText: "bytes" },
  }),
  plugin("search", [reserved("response")], { role: "post" }),
  plugin("search", [reserved("request"), user("q", "str")], {
    role: "pre",
    exportPath: "before",
    result: { kind: "request", shape: { kind: "null" }, typeText: "PluginRequest" },
  }),
  plugin(
    "shapes",
    [
      reserved("request"),
      reserved("graph"),
      user("mode", "str", { shape: literals("fast", "exact") }),
      user("level", "int", { shape: literals(1, 2, 3), ...withDefault(2) }),
      user("code", "str", { shape: { kind: "pattern", source: "^v\\d+$" } }),
      user("at", "json", { shape: { kind: "ref", name: "Point" }, ...optional }),
      user("tree", "json", { shape: { kind: "ref", name: "Tree" }, ...optional }),
      user("wide", "json", { shape: { kind: "ref", name: "Wide" }, ...optional }),
      user("list", "json", { shape: { kind: "array", items: int }, ...optional }),
      user("either", "json", {
        shape: { kind: "union", members: [str, { kind: "array", items: int }] },
        ...optional,
      }),
      user("free", "json", optional),
      user("form", "json", { shape: { kind: "ref", name: "Form" }, ...optional }),
      user("loose", "json", { shape: { kind: "ref", name: "Loose" }, ...optional }),
      user("none", "json", {
        shape: { kind: "tuple", items: [], required: 0, rest: null },
        ...optional,
      }),
      user("untyped", "str", { ...optional, untyped: true, typeText: "*" }),
      user("x", "float", optional),
      user("raw", "bytes", optional),
    ],
    {
      graph: "cities",
      result: {
        kind: "response",
        shape: {
          kind: "tuple",
          items: [float, { kind: "ref", name: "Point" }],
          required: 2,
          rest: null,
        },
        typeText: "PluginResponse<float, Point>",
      },
    },
  ),
];

function withDefault(value: number, description = ""): Partial<UserParam> {
  return { required: false, default: { kind: "value", value }, description };
}
