// The worked examples of queries with expressions: filters, ranks, shown fields and collected arcs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ASC, S_RANK, S_VAL } from "../../../../runtime/base/sort-constants.js";
import type { Memory } from "../../../../runtime/graph/evaluate/memory.js";
import * as C from "../../../../runtime/graph/model/constants.js";
import { makePeople } from "../support/people.js";

const test = suite("worked queries");
const people = makePeople();
const FIELDS = {
  result: "list",
  fields: ["relationship", "modifier", "value", "id"],
} as const;

/** Relationship, value and id of each arc found from ann, sorted as strings. */
function idsFound(options: object): string[] {
  const entries = people.neighborhood("ann", { ...FIELDS, ...options }) as unknown[][];
  return entries.map(([rel, , value, id]) => `${rel} ${round(value)} ${id}`).sort();
}

function round(value: unknown): number {
  return Math.round(Number(value) * 1e4) / 1e4;
}

const SCAN = { collect: C.C_SCAN };

const FOUND: readonly (readonly [object, readonly string[]])[] = [
  [{ filter: ".arc.value >= 5" }, ["knows 5 bob", "knows 9 cid"]],
  [{ filter: "next['age'] > 24" }, ["knows 5 bob", "knows 9 cid", "likes 0.75 bob"]],
  [{ pre: "vertex['age'] > 100" }, []],
  [{ pre: "vertex['age'] == 31", arc: "likes" }, ["likes 0.75 bob"]],
  [{ filter: "haltif(.arc.value == 9)" }, ["knows 9 cid"]],
  [
    { ...SCAN, filter: "collect(.arc.value * 10)" },
    ["knows 20 dee", "knows 50 bob", "knows 90 cid", "likes 7.5 bob"],
  ],
  [{ ...SCAN, filter: "collect(null)" }, []],
  [
    { ...SCAN, filter: "collect(synarc.value('knows',M_INT) * synarc.value('likes',M_FLT))" },
    ["__synthetic__ 0 cid", "__synthetic__ 0 dee", "__synthetic__ 3.75 bob"],
  ],
  [{ filter: "synarc.hasrel('knows','likes') == 0b11" }, ["__synthetic__ 0 bob"]],
  [
    { ...SCAN, filter: "collect(synarc.hasrel('knows','likes'))" },
    ["__synthetic__ 2 cid", "__synthetic__ 2 dee", "__synthetic__ 3 bob"],
  ],
  [{ filter: ".arc.issyn" }, ["__synthetic__ 0 bob", "__synthetic__ 0 cid", "__synthetic__ 0 dee"]],
  [
    {
      collect: C.C_NONE,
      neighbor: {
        traverse: {
          arc: C.D_OUT,
          collect: C.C_COLLECT,
          filter: "prev.arc.value > 4 && next.arc.value > 0.3",
        },
      },
    },
    ["likes 0.5 tea", "likes 0.9 jam"],
  ],
  [
    {
      arc: "knows",
      collect: C.C_NONE,
      neighbor: {
        filter: "mcull(vertex['age'],1)",
        traverse: { arc: C.D_OUT, collect: C.C_COLLECT },
      },
    },
    ["likes 0.9 jam"],
  ],
  [{ arc: "knows", neighbor: { filter: "mcull(-vertex['age'],2)" } }, []],
  [
    { arc: "knows", neighbor: { filter: "mcull(vertex['age'],2)" } },
    ["knows 5 bob", "knows 9 cid"],
  ],
  [
    {
      arc: "knows",
      collect: C.C_NONE,
      neighbor: {
        filter: "do(store(R2,0))",
        adjacent: {
          arc: C.D_OUT,
          filter: "stageif(.arc.value > r2, .arc.value, C2); store(R2, max(r2, .arc.value)); 0",
        },
        post: "commit(C2)",
      },
    },
    ["likes 0.1 tea", "likes 0.5 tea", "likes 0.9 jam"],
  ],
];

for (const [options, arcs] of FOUND) {
  test(JSON.stringify(options), () => assert.equal(idsFound(options), [...arcs].sort()));
}

test("a filter passes positive results", () => {
  const passing = [
    ...["1", "0.5", "inf", "'x'", "''", "next", "next.vector", "0b1", "keyval(1,2.0)"],
    "next['tags']",
  ];
  const others = [
    ...["0", "-1", "0.0", "-0.5", "null", "nan", "-inf", "0b0", "keyval(1,0.0)", "{1,2}"],
  ];
  for (const filter of passing) assert.is(idsFound({ arc: "knows", filter }).length, 3, filter);
  for (const filter of others) assert.is(idsFound({ arc: "knows", filter }).length, 0, filter);
});

function ranked(options: object): unknown {
  return people.neighborhood("ann", {
    ...{ sortby: S_RANK, result: "list", fields: ["id", "rankscore"], arc: "knows" },
    ...options,
  } as object);
}

test("a formula ranks hits and drops those below zero", () => {
  const rank = "100 - next['age'] + .arc.value";
  const best = [
    ["dee", 83],
    ["bob", 80],
    ["cid", 69],
  ];
  assert.equal(ranked({ rank }), best);
  assert.equal(ranked({ rank, sortby: S_RANK | S_ASC }), best.toReversed());
  assert.equal(ranked({ rank, hits: 1 }), best.slice(0, 1));
  const young = "30 - next['age']";
  assert.equal(ranked({ rank: young }), [
    ["dee", 11],
    ["bob", 5],
  ]);
  const query = people.newNeighborhoodQuery("ann", { arc: "knows", sortby: S_RANK, rank: young });
  assert.is(query.count(), 2);
  const counted = ranked({ rank: young, counts: true, hits: 1 }) as { counts: { arcs: number } };
  assert.is(counted.counts.arcs, 2);
  const oldest = { sortby: S_RANK, rank: "vertex['age']", hits: 2 };
  assert.equal(people.vertices(oldest), ["cid", "ann"]);
});

test("a formula can use the arc to the tail", () => {
  const options = {
    ...{ collect: C.C_NONE, sortby: S_RANK, rank: "prev.arc.value * next.arc.value", arc: "knows" },
    neighbor: { traverse: { arc: C.D_OUT, collect: C.C_COLLECT } },
    ...{ result: "list", fields: ["anchor", "id", "rankscore"] },
  };
  const entries = people.neighborhood("ann", options as object) as unknown as [
    string,
    string,
    number,
  ][];
  assert.equal(
    entries.map(([anchor, id, score]) => [anchor, id, round(score)]),
    [
      ["cid", "jam", 8.1],
      ["bob", "tea", 2.5],
      ["bob", "jam", 1.25],
      ["dee", "tea", 0.2],
    ],
  );
});

test("selected fields may be computed", () => {
  const select =
    "name; age ? 0; score: .arc.value / 10; .arc.type; zip; n: next.deg; of: vertex.id";
  const options = { arc: ["knows", C.D_OUT, C.M_INT, C.V_EQ, 5], select, result: "dict" } as const;
  assert.equal(people.neighborhood("ann", options as object), [
    {
      properties: {
        ...{ name: "Bob", age: 25, score: 0.5, ".arc.type": "knows", zip: null },
        ...{ n: 4, of: "ann" },
      },
    },
  ]);
  const json =
    "a: nan; b: 9007199254740993; c: next; d: 0b11; e: 'x;y' + \"z:,\"; f: keyval(1,2.0)";
  assert.equal(people.vertices({ condition: "bob", select: json, result: "dict" }), [
    {
      properties: {
        ...{ a: null, b: "9007199254740993", c: "bob", d: "0x0000000000000003" },
        ...{ e: "x;yz:,", f: [1, 2] },
      },
    },
  ]);
});

/** Cells after a query from ann. */
function cells(options: object, size: number): Memory {
  const memory = people.memory(size);
  people.neighborhood("ann", { ...options, memory });
  return memory;
}

test("expressions share a memory that the caller can read", () => {
  const sums = cells({ filter: "add(R1,.arc.value); count(R2)" }, 8);
  assert.equal([sums.R1, sums.R2], [16.75, 4]);
  const unseen = cells({ filter: "add(R1,.arc.value); count(R2)", hits: 0 }, 8);
  assert.is(unseen.R2, 4);
  const ages = cells({ arc: "knows", filter: "inc(next['age'])" }, 64);
  assert.equal(
    [19, 25, 40, 20].map((id) => ages.get(id)),
    [1, 1, 1, 0],
  );
  const filter = "mheappushmin(0,2,next['age'])";
  const oldest = cells({ arc: "knows", pre: "mheapinit(0,2)", filter }, 8);
  assert.equal(oldest.toArray(0, 2), [25, 40]);
  const memory = people.memory(8);
  const once = idsFound({ filter: "vset.add(next) == 1", memory }).map((arc) => arc.slice(-3));
  assert.equal(once.sort(), ["bob", "cid", "dee"]);
});

test("decay runs from the creation of an arc to its expiry", () => {
  const graph = makePeople();
  graph.connect("ann", ["s", C.M_FLT, 100], "tea", { lifespan: 100 });
  const left = (name: string): number[] => {
    const options = {
      ...SCAN,
      ...FIELDS,
      filter: `collect(synarc.${name}('s'))`,
      arc: ["s", C.D_OUT],
    };
    const entries = graph.neighborhood("ann", options as object) as unknown as unknown[][];
    return entries.filter(([rel]) => rel === "__synthetic__").map(([, , value]) => Number(value));
  };
  const decayed = left("decay");
  const faster = left("xdecay");
  assert.is(decayed.length, 1);
  assert.ok(decayed[0]! > 0 && decayed[0]! <= 100, `${decayed[0]}`);
  assert.ok(faster[0]! <= decayed[0]!, `${faster[0]}`);
});

test("other calls accept expressions", () => {
  const filter = "next['age'] > 30";
  assert.is(people.adjacent("ann", "knows", undefined, { filter }), true);
  assert.is(people.adjacent("ann", "likes", undefined, { filter }), false);
  assert.is(people.adjacent("ann", "knows", undefined, { post: "0" }), false);
  assert.is(people.degree("ann", ["knows", C.D_OUT], { filter }), 1);
  assert.equal(people.terminals("ann", { filter: "next['age'] < 30" }).sort(), ["bob", "dee"]);
  const options = { arc: ["knows", C.D_OUT, C.M_INT], filter: ".arc.value > 2" } as const;
  assert.is(
    (people.aggregate("ann", options) as { predicator_value: number }).predicator_value,
    14,
  );
  const tails = { condition: { filter: "vertex['age'] < 30" }, sortby: S_VAL } as const;
  assert.equal(people.arcs({ ...tails, fields: ["id"] }), ["tea", "jam", "tea"]);
});

test.run();
