// Entries with a type declared by the caller. `npm run check` fails where a marked line would
// compile.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeGraph } from "../support/make-graph.js";

interface Person {
  readonly id: string;
  readonly properties: { readonly name: string; readonly age: number };
}

const test = suite("declared entries");

test("vertices returns the declared type", () => {
  const graph = makeGraph();
  graph.createVertex("p1", { type: "person", properties: { name: "Ada", age: 36 } });
  const fields = ["id", "properties"] as const;
  const people = graph.vertices<Person>({ fields, result: "dict" });
  const names: string[] = people.map(({ properties }) => properties.name);
  assert.equal(names, ["Ada"]);
  assert.is(people[0]!.properties.age + people[0]!.id.length, 38);
  // @ts-expect-error a person has none
  assert.is(people[0]!.height, undefined);
  // @ts-expect-error no such option
  assert.throws(() => graph.vertices<Person>({ selected: "name" }), /selected/);
  const ids: string[] = graph.vertices({ condition: { type: "person" } });
  assert.equal(ids, ["p1"]);
});

test.run();
