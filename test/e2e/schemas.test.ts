// Types inferred from schemas of libraries: the sent type, the value that a plugin receives, and
// rejections.
// limit: 240 s
// takes 4 s

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { RunningProject } from "./support/running-project.js";
import { get, svc } from "./support/server.js";

/** Schemas as libraries build them, with invalid return values. */
const OWN = `import type { StandardSchema } from "svc-server";

type Answer = { value: unknown } | { issues: { message: string; path?: PropertyKey[] }[] };

function schema<I, O>(validate: (value: never) => unknown) {
  return { "~standard": { version: 1 as const, vendor: "test",
    validate: validate as unknown as StandardSchema<O>["~standard"]["validate"],
    types: undefined as { input: I; output: O } | undefined } };
}
export const Later = schema<string, number>(async (text: string): Promise<Answer> => {
  await null;
  return text === "no" ? { issues: [{ message: "no number" }] } : { value: text.length };
});
export const Never = schema<string, string>(() => new Promise(() => {}));
export const Thrower = schema<string, string>(() => { throw new RangeError("broken"); });
export const Silent = schema<string, string>(() => undefined);
export const Talker = schema<string, string>((text: string) => {
  const path = Array.from({ length: 9999 }, () => "deep");
  return { issues: Array.from({ length: 5000 }, () => ({ message: text.repeat(999), path })) };
});
`;
const PLUGINS = `import { z } from "zod";
import type { int, PluginRequest, str } from "svc-server";
import { Later, Never, Silent, Talker, Thrower } from "../src/own.js";

const Booking = z.object({
  from: z.iso.date().transform((text) => new Date(text)),
  to: z.iso.date().transform((text) => new Date(text)),
  seats: z.number().int().min(1).max(9).default(1).describe("how many"),
}).refine(({ from, to }) => from < to, { message: "ends before it begins", path: ["to"] });
type Booking = z.infer<typeof Booking>;
const Code = z.string().trim().toUpperCase().regex(/^[A-Z]{2}$/, "two letters");
type Result<T extends { "~standard": { types?: { output: unknown } | undefined } }> =
  NonNullable<T["~standard"]["types"]>["output"];

/** Books. @plugin */
export function book(_request: PluginRequest, content: Booking): { days: int; seats: int } {
  const ms = content.to.getTime() - content.from.getTime();
  return { days: ms / 86_400_000, seats: content.seats };
}

/** Says a code. @plugin */
export function code(_request: PluginRequest, code: z.infer<typeof Code>,
  n: z.output<typeof Many> = 7): str {
  return code + n;
}
const Many = z.number().max(99);

interface Basket {
  codes: z.infer<typeof Code>[];
  booking?: Booking;
  note: str;
}

/** Within objects. @plugin */
export function basket(_request: PluginRequest, content: Basket): str {
  return [...content.codes, content.booking?.seats, content.note].join();
}

/** Asynchronously. @plugin @timeout 30s */
export function later(_request: PluginRequest, text: Result<typeof Later>): int {
  return text + 1;
}

/** @plugin */
export async function* pieces(_request: PluginRequest,
  text: Result<typeof Later>): AsyncGenerator<int> {
  for (let n = 0; n < text; n++) yield n;
}

let calls = 0;
/** @plugin @timeout 100ms */
export function never(_request: PluginRequest, text: Result<typeof Never>): int {
  return text.length + ++calls;
}
/** @plugin calls */
export function calls_(_request: PluginRequest): int { return calls; }

/** @plugin */
export function talker(_request: PluginRequest, content: Result<typeof Talker>): str {
  return content;
}
/** @plugin */
export function thrower(_request: PluginRequest, a: Result<typeof Thrower>): str { return a; }
/** @plugin */
export function silent(_request: PluginRequest, a: Result<typeof Silent>): str { return a; }
`;

const test = suite("schema types");
const project = new RunningProject(test, {
  "src/own.ts": OWN,
  "plugins/p.ts": PLUGINS,
});
symlinkSync(
  join(packageRoot(), "node_modules/zod"),
  join(project.folder, "node_modules/zod"),
  "dir",
);

const request = async (path: string) => await get(project.server.port, `/svc/plugin/${path}`);
const send = async (path: string, body: unknown) =>
  await get(project.server.port, `/svc/plugin/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });

test("a plugin receives the output of a schema", async () => {
  const dates = { from: "2026-01-01", to: "2026-01-04" };
  assert.equal((await send("book", dates)).json.response, { days: 3, seats: 1 });
  assert.equal((await request("code?code=+ab+&n=5")).json.response, "AB5");
  assert.equal((await request("code?code=ab")).json.response, "AB7");
  const basket = { codes: ["ab", " cd"], booking: { ...dates, seats: 2 }, note: "x" };
  assert.equal((await send("basket", basket)).json.response, "AB,CD,2,x");
});

test("the contract has the constraints of schemas and their input types", async () => {
  const { stdout } = await svc("argspec", project.folder, "--format", "record");
  assert.ok(stdout.length > 0);
  const argspec = JSON.parse(readFileSync(join(project.folder, ".svc/argspec.json"), "utf8"));
  const findSchema = (plugin: string, param: string) =>
    argspec.plugins
      .find(({ name }: { name: string }) => name === plugin)
      .params.find(({ name }: { name: string }) => name === param).schema;
  const integer = { type: "integer", "x-svc-range": "safe" };
  const { properties, required } = findSchema("book", "content");
  assert.equal(properties.from, { type: "string", format: "date" });
  assert.equal(properties.seats, {
    ...{ ...integer, minimum: 1, maximum: 9, description: "how many" },
  });
  assert.equal(required, ["from", "to"]);
  assert.equal(findSchema("code", "code"), { type: "string", pattern: "^[A-Z]{2}$" });
  assert.equal(findSchema("code", "n"), { type: "number", maximum: 99 });
  const basket = argspec.$defs.Basket.properties;
  assert.equal(basket.codes.items, { type: "string", pattern: "^[A-Z]{2}$" });
  assert.is(basket.booking.properties.seats.maximum, 9);
  const seats = { ...basket.booking.properties.seats };
  assert.is(seats.description, "how many");
});

test("a rejection is 400 with parameter, path and message of the schema", async () => {
  const readRejection = async (response: ReturnType<typeof send>) => {
    const { status, json } = await response;
    assert.is(status, 400);
    return (json.message as { svc: { value: string } }).svc.value;
  };
  const dates = { from: "2026-01-04", to: "2026-01-01" };
  assert.is(await readRejection(send("book", dates)), "content.to (ends before it begins)");
  const basket = { codes: ["ab", "abc"], note: "x" };
  assert.is(await readRejection(send("basket", basket)), "content.codes[1] (two letters)");
  assert.match(
    await readRejection(send("basket", { ...basket, codes: [], booking: dates })),
    /^content\.booking\.to \(ends/,
  );
  assert.is(await readRejection(request("code?code=abc")), "code (two letters)");
  assert.match(await readRejection(request("code?code=ab&n=100")), /^n \(.*99.*\)$/);
  // The type of a value is checked first.
  assert.match(await readRejection(request("code?code=ab&n=x")), /^n=x \(a number is required\)$/);
  assert.match(await readRejection(send("book", { from: 1, to: "" })), /^content\.from \(a string/);
  const proto = '{"__proto__": {"note": "y"}, "codes": [{"__proto__": 1}]}';
  const hostileResponse = await get(project.server.port, "/svc/plugin/basket", {
    method: "POST",
    body: proto,
  });
  assert.is(hostileResponse.status, 400);
});

test("schemas may be asynchronous, including streams and timeouts", async () => {
  assert.is((await request("later?text=four")).json.response, 5);
  assert.match((await request("later?text=no")).text, /"text \(no number\)"/);
  assert.match((await request("pieces?text=abc")).text, /0\n1\n2\n/);
  const never = await request("never?text=a");
  assert.is(never.status, 500);
  assert.is((await request("calls")).json.response, 0);
});

test("responses are bounded for any schema; its own faults are 500", async () => {
  const talk = await send("talker", "x".repeat(999));
  assert.is(talk.status, 400);
  assert.match(talk.text, /; and 4995 more"/);
  assert.ok(talk.text.length < 8000, `${talk.text.length}`);
  const thrown = await request("thrower?a=1");
  assert.is(thrown.status, 500);
  assert.match(thrown.text, /RangeError.*broken/);
  assert.match((await request("silent?a=1")).text, /the schema of a returned neither/);
});

test("a build without constraints reports the reason", async () => {
  const closed = 'if (process.env["DATABASE"] === undefined) throw new Error("no database");';
  const text = [
    'import { Later } from "../src/own.js";',
    'import type { PluginRequest } from "svc-server";',
    `declare const process: { env: Record<string, string | undefined> };\n${closed}`,
    'type Length = NonNullable<(typeof Later)["~standard"]["types"]>["output"];',
    "type Of<T> = T extends { types?: { output: infer O } | undefined } ? O : never;",
    'type Answer<T extends { "~standard": unknown }> = Of<T["~standard"]>;',
    "/** @plugin */",
    "export function f(_request: PluginRequest, a: Answer<typeof Later>): Length { return a; }",
  ];
  const otherProject = new RunningProject(test, {
    "src/own.ts": OWN,
    "plugins/p.ts": text.join("\n"),
  });
  const { stdout, stderr } = await svc("build", otherProject.folder);
  assert.match(stdout + stderr, /SVC1273[\s\S]*no database/);
  otherProject.remove();
});

test("a build warns about queries whose schema can accept no text", async () => {
  const schema = (name: string, type: string, check: string) => `
    export const ${name} = { "~standard": {
    version: 1 as const, vendor: "test", validate: (value: unknown) => ${check},
    jsonSchema: { input: () => ({ type: ${JSON.stringify(type)} }) },
    types: undefined as { input: unknown; output: string } | undefined } };`;
  const rejected = "({ issues: [{ message: String(value) }] })";
  const text = [
    'import type { PluginRequest } from "svc-server";',
    'const inner = { message: "no id", path: ["id"] }, whole = { message: "no object", path: [] };',
    schema("Order", "object", rejected),
    schema("Parsed", "object", "({ value: JSON.parse(String(value)) as string })"),
    schema("Checked", "object", 'value === "{}" ? { issues: [inner] } : { issues: [whole] }'),
    schema("Later", "object", "Promise.reject(new Error(String(value)))"),
    schema("Count", "number", rejected),
    "type Of<T> = T extends { types?: { output: infer O } | undefined } ? O : never;",
    'type Answer<T extends { "~standard": unknown }> = Of<T["~standard"]>;',
    "/** @plugin */",
    "export function f(",
    "  _request: PluginRequest, order: Answer<typeof Order>, count: Answer<typeof Count>,",
    "  parsed: Answer<typeof Parsed>, checked: Answer<typeof Checked>,",
    "  later: Answer<typeof Later>,",
    "): string { return order + count + parsed + checked + later; }",
  ];
  const otherProject = new RunningProject(test, { "plugins/p.ts": text.join("\n") });
  const { stdout, stderr } = await svc("build", otherProject.folder);
  const warned = [...(stdout + stderr).matchAll(/warning SVC1042: parameter `(\w+)`/g)];
  assert.equal(
    warned.map(([, name]) => name),
    ["order"],
  );
  otherProject.remove();
});

test.run();
