// Generated converters at run time: bundled with their runtime and called with real queries. Every
// plugin function here returns its arguments.

import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitConverters } from "../../../compiler/emit/converters.js";
import { PluginModules } from "../../../compiler/emit/modules.js";
import { planText } from "../../../compiler/emit/shape-view.js";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { plugin, plugins, types, user } from "./records.js";

type Converter = (request: unknown, source: object) => unknown[];

const REQUEST = { isRequest: true };
const shapes = plugins.find((record) => record.name === "shapes")!;
const records = [
  ...plugins.filter((record) => record.name !== "Shop"),
  // The same without a graph, so that calls succeed.
  plugin(
    "shapes2",
    shapes.params.filter((param) => param.name !== "graph"),
  ),
  plugin("keys", [
    user("constructor", "int", { required: false }),
    user("ключ", "int", { required: false }),
  ]),
  plugin("records", [
    user("of", "json", {
      shape: { kind: "object", properties: [], additional: { kind: "json" }, keys: "^-?\\d+$" },
    }),
    user("list", "json", {
      required: false,
      shape: { kind: "union", members: [{ kind: "null" }, { kind: "ref", name: "List_int_" }] },
    }),
  ]),
  plugin("stay", [
    user("day", "str", { shape: temporal("PlainDate", "date") }),
    user("waits", "json", {
      required: false,
      shape: { kind: "array", items: temporal("Duration", "duration") },
    }),
  ]),
  plugin("steps", [user("step", "json", { shape: { kind: "ref", name: "Step" } })]),
];
/** Members without a discriminant, whose recursive property comes first. */
const Step: TypeShape = {
  kind: "union",
  members: [{ kind: "null" }, stepWith("x"), stepWith("y")],
};

function stepWith(name: string): TypeShape {
  const part = (key: string, shape: TypeShape) => ({
    ...{ name: key, shape, optional: false, description: "" },
  });
  const properties = [part("next", { kind: "ref", name: "Step" }), part(name, { kind: "int" })];
  return { kind: "object", properties, additional: null };
}

function temporal(name: string, format: "date" | "duration"): TypeShape {
  return { kind: "limited", base: { kind: "str" }, limits: { format }, temporal: name };
}

const DAY = { from: (text: string) => ({ day: text }) };
const WAIT = { from: (text: string) => ({ wait: text }) };
const global = globalThis as { Temporal?: object };
const original = global.Temporal;
global.Temporal = { PlainDate: DAY, Duration: WAIT };
const converters = await load();

/** @param copy distinguishes instances of the same code */
async function load(copy = 1): Promise<Record<string, Converter>> {
  const code = emitConverters(
    records,
    { ...types, Step, List_int_: { kind: "array", items: { kind: "int" } } },
    {
      modules: "virtual:modules",
      convert: new URL("../../../runtime/plugin/convert.ts", import.meta.url).pathname,
    },
  );
  const names = new PluginModules(records).names(code);
  const stub = names.map((name) => `export const ${name} = (...args) => args;`).join("\n");
  const bundle = await build({
    stdin: { contents: code, resolveDir: "/" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [
      {
        name: "virtual",
        setup(setup) {
          setup.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: "virtual" }));
          setup.onLoad({ filter: /.*/, namespace: "virtual" }, () => ({ contents: stub }));
        },
      },
    ],
  });
  const text = Buffer.from(bundle.outputFiles[0]!.contents).toString("base64");
  return (await import(`data:text/javascript;base64,${text}#${copy}`)) as Record<string, Converter>;
}

const test = suite("emit: converters");

function call(name: string, query: string, more: object = {}): unknown[] {
  const source = {
    method: "GET",
    query,
    headerBlock: "A: b\r\n",
    body: null,
    client: "c",
    ...more,
  };
  return converters[`${name}$engine`]!(REQUEST, source);
}

function fault(name: string, query: string, more: object = {}): string {
  try {
    call(name, query, more);
  } catch (error) {
    assert.is((error as Error).name, "ParameterError");
    return (error as Error).message;
  }
  throw new Error(`${name}?${query} should have failed`);
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const needed = "mode=fast&code=v1";

const PARAMETERS = "at tree wide list either free form loose none".split(" ");

/** Value of one named optional parameter of the plugin `shapes`. */
function shape(name: string, value: unknown): unknown {
  const position = PARAMETERS.indexOf(name);
  return call("shapes2", `${needed}&${name}=${json(value)}`)[position + 4];
}

test("pass arguments in signature order, whatever the order of the query", () => {
  assert.equal(call("add", "b=2&a=1"), [REQUEST, 1, 2]);
  assert.equal(call("add", "a=-5"), [REQUEST, -5, undefined]);
  assert.equal(call("add", "x=1&a=1&y&&b=(int)3&"), [REQUEST, 1, 3]);
});

test("create values of Temporal, and need them when they are loaded", async () => {
  const args = call("stay", `day=2026-02-28&waits=${json(["P1D", "PT2H"])}`);
  assert.equal(args, [{ day: "2026-02-28" }, [{ wait: "P1D" }, { wait: "PT2H" }]]);
  assert.is(fault("stay", "day=28.2.2026"), "day=28.2.2026 (a date (year-month-day) is required)");
  assert.match(fault("stay", 'day=2026-02-28&waits=["1D"]'), /^waits\[0\] \(a duration is req/);
  global.Temporal = {};
  try {
    await load(2);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /no `Temporal.PlainDate`: use Node.js 26 or later/);
  } finally {
    if (original === undefined) delete global.Temporal;
    else global.Temporal = original;
  }
});

test("handle absent keys, keys without value, and empty values", () => {
  assert.is(fault("add", ""), "missing required argument: 'a'");
  assert.is(fault("add", "b=1"), "missing required argument: 'a'");
  assert.is(fault("add", "a"), "a (an integer is required)");
  assert.is(fault("add", "a="), "a= (an integer is required)");
});

test("use the last of equal keys", () => {
  assert.equal(call("add", "a=x&a=2"), [REQUEST, 2, undefined]);
  assert.is(fault("add", "a=2&a=x"), "a=x (an integer is required)");
});

test("decode keys before comparing them", () => {
  assert.equal(call("add", "%61=1"), [REQUEST, 1, undefined]);
  const utf8 = Buffer.from("ключ").toString("latin1");
  assert.equal(call("keys", `constructor=1&${utf8}=2`), [1, 2]);
  assert.equal(call("keys", `${encodeURIComponent("ключ")}=3`), [undefined, 3]);
});

test("validate parameters that no plugin reads", () => {
  assert.is(fault("add", "a=1&x=%zz"), "bad request parameter");
  assert.is(fault("bare", "x=%zz"), "bad request parameter");
  assert.equal(call("bare", "x=1"), [REQUEST]);
});

test("support parameters named like their local variables", () => {
  assert.equal(call("ask", "key=1&query=2&at=3"), [REQUEST, "1", "2"]);
});

test("never set reserved arguments from the query", () => {
  const body = '[{"x":1,"y":2}]';
  const args = call("delete", "request=1&method=X&content=2&headers=3", { method: "POST", body });
  assert.is(args[0], REQUEST);
  assert.is(args[1], "POST");
  assert.equal({ ...(args[2] as object) }, { a: "b", "X-Svc-Builtin-Client": "c" });
  assert.equal(args[3], [{ x: 1, y: 2 }]);
});

test("report content of another shape", () => {
  assert.is(fault("delete", "", { body: "{}" }), "content (an array is required)");
  assert.is(fault("delete", "", { body: '[{"x":1}]' }), "content[0].y (a number is required)");
  assert.is(fault("delete", "", { body: "null" }), "content=null (an array is required)");
  assert.is(fault("delete", ""), "missing required argument: 'content'");
});

test("report a missing graph binder", () => {
  assert.throws(() => call("shapes", needed), /no graphs in this thread/);
});

test("validate literals and patterns", () => {
  assert.equal(call("shapes2", `${needed}&level=3`).slice(0, 4), [REQUEST, "fast", 3, "v1"]);
  assert.is(fault("shapes2", "mode=slow"), 'mode=slow (one of "fast", "exact" is required)');
  assert.is(fault("shapes2", "mode=(int)1"), 'mode=(int)1 (one of "fast", "exact" is required)');
  assert.is(fault("shapes2", `${needed}&level=4`), "level=4 (one of 1, 2, 3 is required)");
  assert.match(fault("shapes2", "mode=fast&code=w1"), /^code=w1 \(a string like /);
  assert.is(fault("shapes2", "mode&code=v1"), 'mode= (one of "fast", "exact" is required)');
});

test("report the path within objects", () => {
  assert.equal(shape("at", { x: 1, y: 2, extra: [] }), { x: 1, y: 2, extra: [] });
  assert.equal(shape("at", { x: 1, y: 2, label: null }), { x: 1, y: 2, label: null });
  const faultAt = (value: unknown) => fault("shapes2", `${needed}&at=${json(value)}`);
  assert.is(faultAt({ x: "1", y: 2 }), "at.x (a number is required)");
  assert.is(faultAt({ x: 1 }), "at.y (a number is required)");
  assert.is(faultAt({ x: 1, y: 2, label: 3 }), "at.label (one of a string, null is required)");
  assert.is(faultAt(null), "at=null (an object is required)");
  assert.is(faultAt([]), "at (an object is required)");
  assert.is(faultAt(7), "at=7 (an object is required)");
  assert.is(fault("shapes2", `${needed}&at`), "at (an object is required)");
  assert.is(call("shapes2", `${needed}&form`)[10], null, "a key without value");
});

test("visit a value of a recursive union once", () => {
  for (const rest of [`,"y":1}`, `,"x":1,"y":1}`]) {
    const steps = (end: string) => `step=${`{"next":`.repeat(100)}${end}${rest.repeat(100)}`;
    assert.is(call("steps", steps("null")).length, 1);
    assert.match(fault("steps", steps("7")), "2 forms is required");
  }
});

test("validate recursive types", () => {
  const leaf = { value: 1, children: [] };
  assert.equal(shape("tree", { value: 1, children: [leaf, leaf] }), {
    value: 1,
    children: [leaf, leaf],
  });
  const bad = { value: 1, children: [leaf, { value: 1, children: [{ value: 1.5 }] }] };
  assert.is(
    fault("shapes2", `${needed}&tree=${json(bad)}`),
    "tree.children[1].children[0].value (an integer is required)",
  );
  const deep = `${'{"value":1,"children":['.repeat(20000)}${"]}".repeat(20000)}`;
  assert.match(
    fault("shapes2", `${needed}&tree=${encodeURIComponent(deep)}`),
    /\(nested deeper than 500 levels\)$/,
  );
});

test("validate tuples, index signatures, arrays and unions", () => {
  const good = { "odd name": true, pair: [1], many: [1, "a"], inner: { z: 1 }, free: null };
  assert.equal(shape("wide", good), good);
  const wide = (more: object) => fault("shapes2", `${needed}&wide=${json({ ...good, ...more })}`);
  assert.is(wide({ pair: [] }), "wide.pair (an array of 1 to 2 is required)");
  assert.is(wide({ pair: [1, 2] }), "wide.pair[1] (a string is required)");
  assert.is(wide({ pair: [1, "a", 3] }), "wide.pair (an array of 1 to 2 is required)");
  assert.is(wide({ many: [] }), "wide.many (an array of at least 1 is required)");
  assert.is(wide({ many: [1, "a", 3] }), "wide.many[2] (a string is required)");
  assert.is(wide({ inner: { z: "1" } }), "wide.inner.z (an integer is required)");
  assert.is(wide({ "odd name": 1 }), "wide.odd name (true or false is required)");
  assert.is(wide({ free: undefined }), "wide.free (a value is required)");
  assert.is(wide({ constructor: 1 }), "wide.constructor (a string is required)");
  assert.is(wide({ other: { x: 1 } }), "wide.other.y (a number is required)");
  assert.equal(shape("list", [1, 2]), [1, 2]);
  assert.is(fault("shapes2", `${needed}&list=[1,"2"]`), "list[1] (an integer is required)");
  assert.is(shape("either", "a"), "a");
  assert.equal(shape("either", [1]), [1]);
  const either = (value: unknown) => fault("shapes2", `${needed}&either=${json(value)}`);
  assert.is(either(["a"]), "either[0] (an integer is required)");
  assert.is(either({}), "either (one of a string, an array is required)");
  assert.is(fault("shapes2", `${needed}&at="7"`), 'at="7" (an object is required)');
  assert.is(shape("either", 5), "5", "which fits the text alone");
});

test("report the path within the only candidate of a union", () => {
  const form = (value: unknown) => fault("shapes2", `${needed}&form=${json(value)}`);
  for (const value of [null, { kind: "circle", r: 1 }, { kind: "rect", at: { x: 1, y: 2 } }]) {
    assert.equal(shape("form", value), value);
  }
  assert.is(form({ kind: "circle" }), "form.r (a number is required)");
  assert.is(form({ kind: "square", at: { x: 1 } }), "form.at.y (a number is required)");
  const kinds = 'one of "circle", "square", "rect"';
  assert.is(form({ kind: "oval" }), `form.kind (${kinds} is required)`);
  assert.is(form({}), `form.kind (${kinds} is required)`);
  assert.is(form([]), "form (one of null, an object is required)");
  assert.is(form(1), "form=1 (one of null, an object is required)");
});

test("require a match of one of several similar members", () => {
  const loose = (value: unknown) => fault("shapes2", `${needed}&loose=${json(value)}`);
  for (const value of ["a", { a: 1 }, { b: 1 }, [1, 2], []]) {
    assert.equal(shape("loose", value), value);
  }
  assert.is(loose({ c: 1 }), "loose (an object of one of 2 forms is required)");
  assert.is(loose([1]), "loose (an array of one of 2 forms is required)");
  assert.is(shape("loose", null), "null");
});

test("validate an empty tuple, and numbers without a JSON form", () => {
  assert.equal(shape("none", []), []);
  assert.is(fault("shapes2", `${needed}&none=[1]`), "none (an array of 0 is required)");
  const huge = encodeURIComponent('{"x":1e999,"y":2}');
  assert.is(fault("shapes2", `${needed}&at=${huge}`), "at.x (a number is required)");
});

test("check the keys of records", () => {
  const message = (of: object) => fault("records", `of=${encodeURIComponent(JSON.stringify(of))}`);
  assert.is(message({ x: 1 }), "of.x (an integer as key is required)");
  assert.equal(call("records", `of=${json({ 1: "a" })}`)[0], { 1: "a" });
});

test("name no types in faults", () => {
  assert.is(fault("records", "of={}&list=5"), "list=5 (one of null, an array is required)");
});

test("convert properties that have names of plans", () => {
  const known = { isBuffer: { text: "Date" }, temporal: null, make: { text: "URL" } };
  const text = planText({ fields: { known } }, () => "");
  assert.equal(JSON.parse(text.replaceAll(/(\w+):/g, '"$1":')), { fields: { known } });
});

test.run();
