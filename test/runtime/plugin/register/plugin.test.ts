// Forms of the plugin mark and their inferred types.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { float, int } from "../../../../runtime/plugin/contract/types.js";
import { findDeclaration, plugin } from "../../../../runtime/plugin/register/plugin.js";
import type { PluginRequest } from "../../../../runtime/plugin/request/plugin-request.js";
import type { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";

const test = suite("plugin mark");

// biome-ignore lint/complexity/noStaticOnlyClass: the form that decorators need
class Shop {
  @plugin
  static buy(_request: PluginRequest, item: string) {
    return item;
  }

  @plugin({ name: "offer", graph: "shop" })
  static sell(_request: PluginRequest) {
    return "sold";
  }
}

test("keeps the function and its parameter types unchanged", () => {
  const plainFunction = (_request: PluginRequest) => 1;
  assert.is(plugin(plainFunction), plainFunction);
  const typed = plugin({ name: "t" }, (_request, a: int, b = 2.5, c = "x", d?: float) => {
    const types: [number, number, string, number | undefined] = [a, b, c, d];
    return types;
  });
  assert.equal(typed({} as PluginRequest, 1, undefined, "y"), [1, 2.5, "y", undefined]);
  // @ts-expect-error an unannotated default keeps its inferred type
  assert.equal(typed({} as PluginRequest, 1, "not a number"), [1, "not a number", "x", undefined]);
});

test("stores options and role", () => {
  const engine = plugin({ name: "a", graph: "g", readonly: true }, (_request: PluginRequest) => 1);
  assert.equal(findDeclaration(engine), { name: "a", graph: "g", readonly: true, role: "engine" });
  const pre = plugin.pre((request: PluginRequest) => request);
  assert.equal(findDeclaration(pre), { role: "pre" });
  const post = plugin.post({ name: "p" }, (response: PluginResponse) => response);
  assert.equal(findDeclaration(post), { name: "p", role: "post" });
  const byOption = plugin({ role: "post" }, (response: PluginResponse) => response);
  assert.equal(findDeclaration(byOption), { role: "post" });
  assert.is(
    findDeclaration(() => 1),
    undefined,
  );
  assert.is(findDeclaration(5), undefined);
});

test("decorates static methods", () => {
  assert.equal(findDeclaration(Shop.buy), { role: "engine" });
  assert.equal(findDeclaration(Shop.sell), { name: "offer", graph: "shop", role: "engine" });
  assert.is(Shop.buy({} as PluginRequest, "tea"), "tea");
});

test("decorates static methods with experimentalDecorators", () => {
  const method = () => 1;
  const unregistered = () => 2;
  assert.is(plugin(Shop, "buy", { value: method }), undefined);
  plugin({ name: "offer" })(Shop, "sell", { value: unregistered });
  assert.equal(findDeclaration(method), { role: "engine" });
  assert.equal(findDeclaration(unregistered), { name: "offer", role: "engine" });
  assert.throws(() => plugin({}, "buy", { value: method }), /must precede a static method/);
});

test("rejects everything else", () => {
  assert.throws(() => plugin(5 as never), /plugin must be a function, not number/);
  assert.throws(() => plugin({}, 5 as never), /plugin must be a function, not number/);
  assert.throws(
    () => plugin(() => 1, { kind: "method", static: false } as never),
    /precede a static method/,
  );
  assert.throws(() => plugin(() => 1, { kind: "class" } as never), /precede a static method/);
});

test.run();
