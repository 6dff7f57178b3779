// No method ignores an argument silently: JavaScript callers have no type check.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AllGraphs } from "../../../../runtime/graph/api/all-graphs.js";
import { GraphSimilarity } from "../../../../runtime/graph/api/graph-similarity.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("further arguments");
const graph = makeGraph();
const vertex = graph.newVertex("a");

/** Called by the engine or by JSON, or with any number of arguments by design. */
const ANY_ARGUMENTS = new Set([
  ...["constructor", "toJSON", "synchronized", "replaceHold", "confirmed", "holdFor"],
]);

type Method = (...args: unknown[]) => unknown;

/** Returns the methods of an object and of its classes that have parameters. */
function listMethods(target: object): [name: string, method: Method][] {
  const methods = new Map<string, Method>();
  for (let type = Object.getPrototypeOf(target); type !== Object.prototype; ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
      const isOwn = typeof value === "function" && !ANY_ARGUMENTS.has(name) && !methods.has(name);
      // A method without parameters has none to be mistaken.
      const hasParameters =
        isOwn && !/^(async )?\w+\(\)/.test(Function.prototype.toString.call(value));
      if (hasParameters) methods.set(name, value as Method);
    }
    type = Object.getPrototypeOf(type);
  }
  return [...methods];
}

const TARGETS = [graph, vertex, new GraphSimilarity(graph), new AllGraphs()];

for (const target of TARGETS) {
  test(`are refused by all methods of ${target.constructor.name}`, async () => {
    const methods = listMethods(target);
    assert.ok(methods.length >= 3);
    const accepting: string[] = [];
    for (const [name, method] of methods) {
      try {
        await method.apply(target, Array(12).fill(undefined));
        accepting.push(name);
      } catch (error) {
        if (!/^too many arguments/.test((error as Error).message)) accepting.push(name);
      }
    }
    assert.equal(accepting, []);
  });
}

test("name the first one and the allowed number", () => {
  const calls: readonly (readonly [call: () => unknown, text: RegExp])[] = [
    [() => graph.hasVertex("a", ...([7] as never[])), /given 7; expected: nothing after id/],
    [() => graph.status(...([true] as never[])), /given true; expected: no arguments/],
    [() => graph.createVertex("a", {}, {}), /given \{\}; expected: nothing after the options/],
    [() => graph.newVertex("b", {}, {}), /expected: nothing after the options/],
  ];
  for (const [call, text] of calls) {
    assert.throws(call, (error: Error) => error instanceof TypeError && text.test(error.message));
  }
  assert.is(graph.hasVertex("b"), false);
});

test("leave the timeout of `newVertexAsync` to options in second place", async () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const heldVertex = openStore(store).newVertex("held");
  const opening = openStore(store).newVertexAsync("held", { type: null });
  setTimeout(() => heldVertex.close(), 50);
  assert.is((await opening).id, "held");
});

test.run();
