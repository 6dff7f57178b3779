// Documented errors of a plugin in the contract.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectFixture } from "../project-fixture.js";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("errors by @throws");

const CLASSES = `
import { HttpError } from "svc-server";
class NotFound extends HttpError {
  constructor(id: str) {
    super(404, "no " + id, { id, near: ["x"] });
  }
}
/** Its details are declared. */
class Busy extends HttpError {
  declare readonly details: { seconds: int };
  constructor(seconds: int) { super(429, "busy", { seconds }); }
}
class VeryBusy extends Busy {}
class Any extends HttpError {}
class Other extends Error { status = 404; }
`;

function thrownBy(tags: string) {
  const plugin = "export function find(request: PluginRequest) { return 1; }";
  const result = readSource(`${CLASSES}\n/** @plugin\n${tags} */\n${plugin}`);
  return { thrown: pluginNamed(result, "find").throws, diagnostics: result.diagnostics };
}

const STRING = { kind: "str" };
const property = (name: string, shape: object) => ({
  name,
  optional: false,
  shape,
  description: "",
});

test("have status and details type of a class derived from HttpError", () => {
  const { thrown, diagnostics } = thrownBy(`
 * @throws {NotFound} there is none
 * @throws {Busy} now
 * @throws VeryBusy`);
  assert.equal(diagnostics, []);
  const near = { kind: "array", items: STRING };
  const seconds = { properties: [property("seconds", { kind: "int" })], additional: null };
  const busy = { status: 429, details: { kind: "object", ...seconds } };
  assert.equal(thrown, [
    {
      exception: "NotFound",
      description: "there is none",
      status: 404,
      details: {
        kind: "object",
        properties: [property("id", STRING), property("near", near)],
        additional: null,
      },
    },
    { exception: "Busy", description: "now", ...busy },
    { exception: "VeryBusy", description: "", ...busy },
  ]);
});

test("may state the status in the text, which must state it without a class", () => {
  const { thrown, diagnostics } = thrownBy(`
 * @throws {HttpError} 410 product was discontinued
 * @throws {Any} 404: none
 * @throws {Any} whenever`);
  assert.equal(thrown, [
    { exception: "HttpError", description: "product was discontinued", status: 410 },
    { exception: "Any", description: "none", status: 404 },
    { exception: "Any", description: "whenever" },
  ]);
  assert.equal(
    diagnostics.map(({ code, severity, message }) => [code, severity, message]),
    [["SVC1220", "warning", "cannot determine the status of `Any`"]],
  );
});

test("take their status from the tag if a helper throws the class", () => {
  const { thrown, diagnostics } = thrownBy("\n * @throws {Missing} 404 nowhere");
  assert.equal(diagnostics, []);
  assert.equal(thrown, [{ exception: "Missing", description: "nowhere", status: 404 }]);
});

test("have only a description for other errors", () => {
  const { thrown, diagnostics } = thrownBy(`
 * @throws {Other} 404 is its own
 * @throws {RangeError} never
 * @throws {Missing} whenever`);
  assert.equal(diagnostics, []);
  assert.equal(
    thrown.map((error) => Object.keys(error)),
    [0, 1, 2].map(() => ["exception", "description"]),
  );
});

test("include those of hooks", () => {
  const guards = `import { HttpError } from "svc-server";
export class NoKey extends HttpError { constructor() { super(401, "no key"); } }
/** @throws {NoKey} without a key
 * @throws {HttpError} 429 too often */
export const auth = (_request: unknown): void => {};
`;
  const result = readSource(
    `import { HttpError } from "svc-server";
import { auth } from "./guards.js";
/** @plugin
 * @before auth, guards.ts#auth
 * @throws {HttpError} 429 asked too often
 * @throws {RangeError} never */
export function find(request: PluginRequest) { return 1; }`,
    { "guards.ts": guards },
  );
  assert.equal(result.diagnostics, []);
  assert.equal(pluginNamed(result, "find").throws, [
    { exception: "HttpError", description: "asked too often", status: 429 },
    { exception: "RangeError", description: "never" },
    { exception: "NoKey", description: "without a key", status: 401 },
  ]);
});

test("include those of hooks that the configuration names", () => {
  const project = new ProjectFixture({
    "plugins/a.ts": `import type { PluginRequest } from "svc-server";
/** @plugin */
export function find(request: PluginRequest) { return 1; }`,
    "guards.ts": `import { HttpError } from "svc-server";
export const auth = (request: { n: number }) => { throw new HttpError(401, "who?"); };`,
  });
  const files = ["plugins/a.ts"];
  const reader = new PluginReader(project.dir, files, [], "tsconfig.json", ["guards.ts#auth"]);
  const thrown = () => pluginNamed(reader.read(), "find").throws.map(({ status }) => status);
  assert.equal(thrown(), [401]);
  project.write(
    "guards.ts",
    `import { HttpError } from "svc-server";
export const auth = (request: { n: number }) => { throw new HttpError(403, "no"); };`,
  );
  reader.refresh(["guards.ts"], files);
  assert.equal(thrown(), [403]);
});

test("include errors that a hook throws itself, with a known status", () => {
  const guards = `import { HttpError } from "svc-server";
export class NoKey extends HttpError { constructor() { super(401, "no key", { realm: "x" }); } }
/** @throws {HttpError} 403 documented */
export const auth = async (request: { n: number }) => {
  if (request.n === 0) throw new NoKey();
  if (request.n === 1) throw new HttpError(403, "not allowed");
  if (request.n === 2) throw new HttpError(402, "pay", { cents: 5 });
  throw new HttpError(request.n, "unknown");
};`;
  const result = readSource(
    `import { auth } from "./guards.js";
/** @plugin @before auth */
export function find(request: PluginRequest) { throw new HttpError(410, "its own"); }`,
    { "guards.ts": guards },
  );
  const errors = pluginNamed(result, "find").throws;
  assert.equal(
    errors.map(({ exception, status, description }) => [exception, status, description]),
    [
      ["HttpError", 403, "documented"],
      ["NoKey", 401, ""],
      ["HttpError", 402, "pay"],
    ],
  );
  assert.is(errors[2]!.details?.kind, "object");
});

test.run();
