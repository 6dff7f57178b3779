// A graph with a schema: the type check rejects each marked line, and `npm run check` fails where a
// marked line would compile. Assignments of exact types verify the result types.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Graph, type GraphSchema, type SchemaVertex, V_GT } from "../../../../runtime/index.js";
import { makeGraph } from "../support/make-graph.js";

interface Shop extends GraphSchema {
  vertices: {
    person: { age: number; name?: string };
    product: { price: number };
  };
  relationships: "knows" | "bought";
  vectors: "title" | "image";
}

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(is: Same<A, B>): void {
  assert.ok(is);
}

function makeShop(): Graph<Shop> {
  const graph = makeGraph() as unknown as Graph<Shop>;
  graph.createVertex("ann", "person", { properties: { age: 30, name: "Ann" } });
  graph.createVertex("bob", { type: "person", properties: { age: 20 } });
  graph.createVertex("pen", "product", { properties: { price: 2 } });
  graph.connect("ann", "knows", "bob");
  graph.connect("ann", { rel: "bought", mod: "int", value: 3 }, "pen");
  return graph;
}

const test = suite("graph with a schema");

test("accepts matching calls like any graph", () => {
  const graph = makeShop();
  assert.instance(graph, Graph);
  const condition = { type: "person", property: { age: { gt: 25 } } } as const;
  assert.equal(graph.vertices({ condition }), ["ann"]);
  assert.equal(graph.vertices({ condition: { property: { price: [V_GT, 1] } } }), ["pen"]);
  assert.equal(graph.neighborhood("ann", { arc: "bought" }), ["pen"]);
  assert.equal(graph.neighborhood("bob", { arc: { rel: "knows", dir: "in" } }), ["ann"]);
  assert.equal([...graph.scan({ condition: { type: "product" } })], ["pen"]);
  assert.is(graph.degree("ann", "knows"), 1);
  assert.equal(graph.verticesType("product"), ["pen"]);
  const order = (any: Graph): number => any.order;
  assert.is(order(graph), 3, "it is a graph to whoever takes any");
});

test("constrains properties to what they can be", () => {
  const graph = makeShop();
  assert.is(
    graph.constrain({ type: "person", key: "age", required: true, value: "integer" }),
    true,
  );
  // @ts-expect-error: products have no age
  graph.constrain({ type: "product", key: "age", unique: true });
  // @ts-expect-error: an age is a number
  assert.throws(() => graph.constrain({ type: "person", key: "age", value: "string" }));
  assert.is(graph.dropConstraint({ type: "person", key: "age" }), true);
});

test("completes properties in searches, facets and groups", () => {
  const graph = makeShop();
  graph.index("text", { keys: ["name"], type: "person", columns: ["name"] });
  const matches = graph.search("ann", {
    ...{ keys: { name: 2 }, facets: { age: 3, cheap: { property: "price", ranges: [5] } } },
    ...{ groupBy: { key: "age", stats: "age" }, highlight: ["name"], result: "dict" },
  });
  same<(typeof matches)["facets"]["age"][number]["count"], number>(true);
  assert.is(matches.facets.age[0]!.value, 30);
  assert.is(matches.search[0]!.highlights.name, "<em>Ann</em>");
  const condition = { type: "person", text: "ann" } as const;
  const [marked] = graph.vertices({ condition, highlight: { name: 9 }, result: "dict" });
  assert.is(marked?.highlights.name, "<em>Ann</em>");
  const counted = graph.vertices({
    facets: { ".type": 3, friends: { arc: "knows", distinct: ["age"] } },
    groupBy: ".type",
  });
  assert.is(counted.facets[".type"].length, 2);
  same<(typeof counted)["facets"]["friends"][number]["value"], string | number | null>(true);
  graph.index("property", { key: "price" });
  const expectRejection = (): void => {
    // @ts-expect-error
    graph.search("ann", { keys: ["title"] });
    // @ts-expect-error
    graph.search("ann", { highlight: { title: 3 } });
    // @ts-expect-error
    graph.vertices({ condition: { text: "ann" }, highlight: { title: 3 } });
    // @ts-expect-error
    graph.neighborhood("ann", { neighbor: { text: "ann" }, highlight: ["title"] });
    // @ts-expect-error
    graph.search("ann", { condition: { type: "persn" } });
    // @ts-expect-error
    graph.vertices({ facets: { colour: 3 } });
    // @ts-expect-error
    graph.vertices({ facets: { cheap: { property: "prize" } } });
    // @ts-expect-error
    graph.vertices({ facets: { age: { stats: "prize" } } });
    // @ts-expect-error
    graph.neighborhood("ann", { facets: { friends: { arc: "likes" } } });
    // @ts-expect-error
    graph.vertices({ groupBy: "colour" });
    // @ts-expect-error
    graph.index("text", { keys: ["title"] });
    // @ts-expect-error
    graph.index("property", { key: "title" });
  };
  assert.type(expectRejection, "function");
  assert.type(refusedVectors, "function");
});

test("types results by the vertex type in a condition", () => {
  const graph = makeShop();
  const people = graph.vertices({
    condition: { type: "person" },
    fields: ["id", "properties"],
    result: "dict",
    hits: 1,
  });
  same<(typeof people)[number]["properties"], Readonly<Shop["vertices"]["person"]>>(true);
  same<(typeof people)[number]["id"], string>(true);
  assert.is(typeof people[0]!.properties.age, "number");
  const prices = graph.neighborhood("ann", {
    arc: "bought",
    neighbor: { type: "product" },
    select: "price",
    result: "dict",
  });
  same<(typeof prices)[number]["properties"]["price"], number>(true);
  assert.is(prices[0]!.properties.price, 2);
  const any = graph.vertices({ fields: ["properties"], result: "dict" });
  same<(typeof any)[number]["properties"]["price"], number | undefined>(true);
  assert.is(any.length, 3);
  const ids = graph.vertices({ condition: { type: "person" } });
  same<typeof ids, string[]>(true);
});

test("types open vertices by their vertex type", () => {
  const graph = makeShop();
  const ann: SchemaVertex<Shop, "person"> = graph.openVertex<"person">("ann");
  const age = ann.getProperty("age");
  same<typeof age, number | null>(true);
  same<ReturnType<typeof ann.getProperty<"name">>, string | null>(true);
  ann.setProperty("age", 31);
  assert.is(ann.requireProperty("age"), 31);
  assert.is(ann.getProperty("name", "nobody"), "Ann");
  ann.close();
  const anyone = graph.getVertex("bob");
  same<ReturnType<typeof anyone.getProperty<"price">>, number | null>(true);
  assert.is(anyone.getProperty("price"), null);
  anyone.close();
});

test("types arcs, sums, tests and prepared queries by the schema", async () => {
  const graph = makeShop();
  assert.equal(graph.arcs({ condition: { type: "person", arc: "bought" }, fields: ["id"] }), [
    "pen",
  ]);
  assert.is([...graph.scanArcs({ condition: { type: "person" } })].length, 2);
  assert.is(graph.adjacent("ann", "bought", { type: "product", property: { price: 2 } }), true);
  assert.is(graph.aggregate("ann", { arc: "knows" }).arcs, 1);
  const query = graph.newNeighborhoodQuery("ann", {
    neighbor: { type: "product" },
    fields: ["properties"],
    result: "dict",
  });
  const matches = query.execute({ hits: 5 });
  same<(typeof matches)[number]["properties"], Readonly<Shop["vertices"]["product"]>>(true);
  assert.is(matches[0]!.properties.price, 2);
  const people = graph.newVerticesQuery({ condition: { type: "person" } });
  assert.is(people.execute().length, 2);
  assert.is(
    graph.newArcsQuery({ condition: { arc: { rel: "knows", dir: "out" } } }).execute().length,
    1,
  );
  assert.is(graph.newAdjacencyQuery("ann", { arc: "knows" }).execute(), true);
  assert.is(graph.newAggregatorQuery("ann", { arc: "knows" }).execute().arcs, 1);
  const ann = await graph.openVertexAsync<"person">("ann");
  same<ReturnType<typeof ann.getProperty<"age">>, number | null>(true);
  assert.is(ann.getProperty("age"), 30);
  ann.close();
  const pen = graph.openNeighbor<"product">("ann", "bought");
  assert.is(pen.requireProperty("price"), 2);
  pen.close();
});

test("completes names of vectors", () => {
  const graph = makeShop();
  graph.index("vectors", { length: 2, name: "title" });
  graph.setVectorSettings({ precision: "float32" }, "image");
  graph.createVertex("cup", "product", {
    properties: { price: 5 },
    vectors: { title: [1, 0], image: [0, 1] },
  });
  const pen = graph.openVertex<"product">("pen");
  pen.setVector([0, 1], "title");
  assert.is(pen.hasVector("title"), true);
  assert.is(pen.getVector("image").length, 0);
  const condition = { type: "product", property: { price: { lt: 9 } } } as const;
  const weights = { title: 2 };
  pen.setVector([1, 1], "image");
  const nearest = graph.nearest({ title: [1, 0], image: pen }, { condition, weights });
  assert.equal(
    nearest.map(({ id }) => id),
    ["cup", "pen"],
  );
  assert.is(pen.removeVector("image"), true);
  pen.close();
  assert.is(graph.dropIndex("vectors", { length: 2, name: "title" }), true);
});

/** Never called: its lines only must not compile. */
function rejectedCalls(graph: Graph<Shop>): unknown[] {
  const vertex = graph.openVertex<"person">("ann");
  return [
    // @ts-expect-error there is no such type
    graph.createVertex("x", "persn"),
    // @ts-expect-error a property of another type
    graph.createVertex("x", "person", { properties: { price: 1 } }),
    // @ts-expect-error a text is no number
    graph.createVertex("x", { type: "person", properties: { age: "30" } }),
    // @ts-expect-error age is missing
    graph.createVertex("x", "person", { properties: { name: "X" } }),
    // @ts-expect-error there is no such relationship
    graph.connect("ann", "bougth", "pen"),
    // @ts-expect-error there is no such relationship
    graph.connect("ann", { rel: "likes" }, "pen"),
    // @ts-expect-error there is no such relationship
    graph.neighborhood("ann", { arc: "likes" }),
    // @ts-expect-error there is no such relationship
    graph.neighborhood("ann", { arc: { rel: "likes", dir: "in" } }),
    // @ts-expect-error there is no such type
    graph.neighborhood("ann", { neighbor: { type: "cat" } }),
    // @ts-expect-error there is no such type
    graph.vertices({ condition: { type: "persn" } }),
    // @ts-expect-error a property of another type
    graph.vertices({ condition: { type: "person", property: { price: 3 } } }),
    // @ts-expect-error no type has such a property, beside one that there is
    graph.vertices({ condition: { type: "person", property: { age: 3, agee: 3 } } }),
    // @ts-expect-error a number is not compared with a text
    graph.vertices({ condition: { type: "person", property: { age: "old" } } }),
    // @ts-expect-error there is no such relationship
    graph.vertices({ condition: { traverse: { arc: "likes" } } }),
    // @ts-expect-error there is no such property
    vertex.getProperty("price"),
    // @ts-expect-error a text is no number
    vertex.setProperty("age", "31"),
    // @ts-expect-error there is no such relationship
    graph.degree("ann", "likes"),
    // @ts-expect-error there is no such type
    graph.verticesType("cat"),
    // @ts-expect-error there is no such relationship
    graph.arcs({ condition: { arc: "likes" } }),
    // @ts-expect-error there is no such type
    graph.scanArcs({ condition: { type: "cat" } }),
    // @ts-expect-error there is no such relationship
    graph.aggregate("ann", { arc: "likes" }),
    // @ts-expect-error there is no such type
    graph.aggregate("ann", { neighbor: { type: "cat" } }),
    // @ts-expect-error there is no such relationship
    graph.adjacent("ann", "likes"),
    // @ts-expect-error a property of another type
    graph.adjacent("ann", "knows", { type: "person", property: { price: 1 } }),
    // @ts-expect-error there is no such relationship
    graph.newNeighborhoodQuery("ann", { arc: "likes" }),
    // @ts-expect-error a property of another type
    graph.newVerticesQuery({ condition: { type: "person", property: { price: 1 } } }),
    // @ts-expect-error there is no such type
    graph.newArcsQuery({ condition: { type: "cat" } }),
    // @ts-expect-error there is no such relationship
    graph.newAdjacencyQuery("ann", { arc: "likes" }),
    // @ts-expect-error there is no such relationship
    graph.newAggregatorQuery("ann", { arc: { rel: "likes" } }),
    // @ts-expect-error there is no such type
    graph.openVertexAsync<"cat">("ann"),
    // @ts-expect-error there is no such relationship
    graph.openNeighbor("ann", "likes"),
  ];
}

/** Likewise never called. */
function refusedVectors(graph: Graph<Shop>): unknown[] {
  const vertex = graph.openVertex<"person">("ann");
  return [
    // @ts-expect-error there are no such vectors
    graph.createVertex("x", "product", { vectors: { picture: [1] } }),
    // @ts-expect-error there are no such vectors
    vertex.setVector([1], "picture"),
    // @ts-expect-error there are no such vectors
    vertex.getVector("picture"),
    // @ts-expect-error there are no such vectors
    vertex.hasVector("picture"),
    // @ts-expect-error there are no such vectors
    vertex.removeVector("picture"),
    // @ts-expect-error there are no such vectors
    graph.index("vectors", { length: 2, name: "picture" }),
    // @ts-expect-error there are no such vectors
    graph.dropIndex("vectors", { length: 2, name: "picture" }),
    // @ts-expect-error there are no such vectors
    graph.setVectorSettings({ precision: "float32" }, "picture"),
    // @ts-expect-error there are no such vectors
    graph.nearest({ picture: [1] }),
    // @ts-expect-error there are no such vectors
    graph.nearest({ title: [1] }, { weights: { picture: 2 } }),
    // @ts-expect-error a property of another type
    graph.nearest([1], { condition: { type: "person", property: { price: 1 } } }),
  ];
}

test("accepts any names without a schema", () => {
  assert.type(rejectedCalls, "function");
  assert.type(refusedVectors, "function");
  const graph: Graph = makeGraph();
  graph.createVertex("x", "persn", { properties: { agee: 1 }, vectors: { any: [1] } });
  graph.connect("x", "likes", "y");
  assert.equal(graph.vertices({ condition: { type: "persn", property: { agee: 1 } } }), ["x"]);
});

test.run();
