// Methods of classes, instances and objects that are tagged as plugins or jobs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReadResult } from "../../../compiler/read/file-reading.js";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("tagged methods");

/** Parameters as `name: kind`, `?` for optional ones, and the shape of the result. */
function describe(result: ReadResult, name: string) {
  const plugin = pluginNamed(result, name);
  const params = plugin.params.flatMap((param) =>
    param.kind === "user" ? [`${param.name}${param.required ? "" : "?"}: ${param.shape.kind}`] : [],
  );
  return { params, result: plugin.result.shape?.kind, plugin };
}

test("have the types of the exported instance of a generic class", () => {
  const result = readSource(`
class Rows<T extends object, K extends keyof T & string> {
  constructor(readonly rows: T[], readonly key: K) {}
  /** @plugin */
  put(request: PluginRequest, content: T, id: T[K], fields: (keyof T)[] = []): Pick<T, K> {
    return content;
  }
}
export const rows = new Rows([] as { isbn: int; title: str }[], "isbn");
`);
  assert.equal(result.diagnostics, []);
  const { params, plugin } = describe(result, "put");
  assert.equal(params, ["id: int", "fields?: array"]);
  const content = plugin.params.find(({ name }) => name === "content");
  assert.match(JSON.stringify(content), /"title"/);
  assert.match(JSON.stringify(plugin.result.shape), /"isbn".*"int"/);
});

test("are tagged members of exported objects, also of returned ones", () => {
  const result = readSource(`
const over = <A extends unknown[], R>(fn: (request: PluginRequest, ...args: A) => R) =>
  (request: PluginRequest, ...args: A) => fn(request, ...args);
const list = (request: PluginRequest, n: int = 1) => n;
export const api = {
  /** Reads. @plugin */
  read(request: PluginRequest, id: str, deep: boolean = false) { return id; },
  /** @plugin renamed @readonly */
  wrapped: over((request, q: str) => q),
  /** @plugin */
  list,
  /** @every 30s */
  tick: () => {},
  hidden: (request: PluginRequest) => 1,
};
function crud<T>(row: T) {
  const rows: T[] = [];
  return {
    /** @plugin */
    add(request: PluginRequest, content: T): int { return rows.push(content); },
  };
}
export const made = crud({ id: 1 as int });
export default (() => ({
  /** @plugin */
  count: (request: PluginRequest, by: int) => by,
}))();
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, exportPath }) => `${name} ${exportPath}`),
    [
      ...["add made.add", "count default.count", "list api.list", "read api.read"],
      ...["renamed api.wrapped", "tick api.tick"],
    ],
  );
  assert.equal(describe(result, "read").params, ["id: str", "deep?: bool"]);
  assert.equal(describe(result, "list").params, ["n?: int"]);
  assert.match(JSON.stringify(describe(result, "add").plugin.params), /"id"/);
});

test("are reported in a namespace, or in an object that is not exported", () => {
  const { diagnostics } = readSource(`
export namespace api {
  /** @plugin */
  export function inside(request: PluginRequest) {}
}
const counter = (() => ({
  /** @plugin */
  count(request: PluginRequest) {},
}))();
export const { count } = counter;
`);
  assert.equal(
    diagnostics.map(({ code, help }) => [code, help]),
    [
      ["SVC1003", "the tag above a variable: `export const inside = api.inside`"],
      ["SVC1003", "an exported object, or `/** @plugin */ export const { count } = …`"],
    ],
  );
});

test("are methods of instances that a function makes, and inherited ones", () => {
  const result = readSource(`
abstract class Base<T> {
  protected abstract make(id: str): T;
  /** Finds. @plugin */
  find(request: PluginRequest, id: str, deep: boolean = false): T { return this.make(id); }
  /** @plugin */
  size(request: PluginRequest): int | null { return 1; }
  /** @plugin low */
  level(request: PluginRequest): int { return 1; }
  /** @every 30s */
  tick(): void {}
}
class Users extends Base<{ id: str }> {
  static create() { return new Users(); }
  private constructor() { super(); }
  protected make(id: str) { return { id }; }
  size(request: PluginRequest): int { return 2; }
  /** @plugin high */
  level(request: PluginRequest): int { return 2; }
  /** @plugin */
  arrow = (request: PluginRequest, n: int) => n;
}
export const users = Users.create();
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, exportPath }) => [name, exportPath]),
    [
      ["arrow", "users.arrow"],
      ["find", "users.find"],
      ["high", "users.level"],
      ["size", "users.size"],
      ["tick", "users.tick"],
    ],
  );
  const { params, result: resultType } = describe(result, "find");
  assert.equal([params, resultType], [["id: str", "deep?: bool"], "object"]);
  assert.is(describe(result, "size").result, "int");
});

test("are static methods of exported classes, and jobs", () => {
  const result = readSource(`
export class Shop {
  /** Sells. @plugin sell @readonly */
  static buy(request: PluginRequest, id: str): str { return id; }
  /** @plugin */
  static again = (request: PluginRequest, n: int): int => n;
  /** @cron 0 3 * * * */
  static async clean(): Promise<void> {}
}
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, exportPath }) => [name, exportPath]),
    [
      ["again", "Shop.again"],
      ["clean", "Shop.clean"],
      ["sell", "Shop.buy"],
    ],
  );
  assert.is(describe(result, "sell").plugin.readonly, true);
});

test("are found once where static methods have a decorator, whose tags have no effect", () => {
  const result = readSource(`
export class Shop {
  /** Sells. @plugin look */
  @plugin({}) static buy(request: PluginRequest): int { return 1; }
  /** @every 30s */
  @plugin static tick(): int { return 1; }
}
`);
  assert.equal(
    result.plugins.map(({ exportPath }) => exportPath),
    ["Shop.buy", "Shop.tick"],
  );
  assert.equal(
    result.diagnostics.map(({ code }) => code),
    ["SVC1003", "SVC1150"],
  );
});

test.run();
