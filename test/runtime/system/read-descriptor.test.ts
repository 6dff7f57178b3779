// Every rule of a system descriptor, with the message of its violation.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { eightNodes } from "./eight-nodes.js";

const test = suite("system descriptor");

function listProblems(value: unknown): string[] {
  try {
    readDescriptor(value);
    return [];
  } catch (error) {
    assert.is((error as SvcError).code, "SVC2700");
    return (error as SvcError).message.split("\n  ");
  }
}

/** A system of one dispatcher and one engine, with changes. */
function two(engine: object = {}, more: object = {}): object {
  const instances = { TD: { type: "dispatch", hport: 9990 }, S1: { hport: 9110, ...engine } };
  return { graphs: ["cities"], instances, ...more };
}

const dispatch = (rows: unknown) => two({}, { topology: { dispatch: { TD: rows } } });
const archive = (more: object) => two({}, { archive: { from: "S1", to: "/backup", ...more } });
const period = "a period such as 10s, 5m, 2h or 30d required";
test("gives dispatchers no graphs in common with their engines", () => {
  const { instances, ...rest } = eightNodes();
  const readGraphs = (TD: object, id: string) =>
    readDescriptor({ ...rest, instances: { ...instances, TD } }).instances.get(id)!.graphs;
  const dispatcher = { type: "dispatch", hport: 1 };
  assert.equal(readGraphs(dispatcher, "TD"), []);
  assert.equal(readGraphs(dispatcher, "S1.1"), ["cities"]);
  assert.equal(readGraphs({ ...dispatcher, graph: "cities" }, "TD"), ["cities"]);
});

const transaction = (tree: unknown) => two({}, { topology: { transaction: tree } });

const problemAt = (path: string, detail: string) =>
  `System descriptor "${path}" invalid or missing (${detail})`;
const uneven = {
  instances: { TD: { hport: 9990 }, S1: { hport: 9110 }, S2: { hport: 9120 } },
  topology: { dispatch: { TD: [{ partitions: ["S1"] }, { partitions: ["S2", "TD"] }] } },
};
const onlyCase = problemAt("instances.s1", "differs from S1 only in case");
const port = "positive integer required, 65534 at most";

/** A dispatcher with two engines, one row. */
function slotted(slots: unknown, more: object = {}): object {
  return {
    graphs: ["cities", "towns"],
    slots,
    common: { graph: "cities" },
    instances: {
      TD: { type: "dispatch", hport: 9990 },
      B1: { type: "builder", hport: 9100 },
      B2: { type: "builder", hport: 9200 },
      S1: { type: "search", hport: 9110, tport: 10110 },
      S2: { type: "search", hport: 9210, tport: 10210 },
    },
    topology: {
      transaction: { B1: ["S1"], B2: ["S2"] },
      dispatch: { TD: [{ partitions: ["S1", "S2"] }, { partitions: ["B1", "B2"], primary: 1 }] },
    },
    ...more,
  };
}

const count = problemAt("slots.count", "power of two from 16 to 65536 required");
const names = problemAt("slots.graphs", "list of names required");
const graphsRequired = problemAt("slots.graphs", "list of one graph or more required");
const makeRows = (...rows: string[][]) => ({
  transaction: { B1: ["S1"], B2: ["S2"] },
  dispatch: { TD: rows.map((partitions) => ({ partitions })) },
});
const SLOT_MISTAKES: readonly (readonly [unknown, string])[] = [
  [slotted(5), problemAt("slots", "dict required")],
  [
    slotted({ graphs: ["cities"], counts: 4 }),
    problemAt("slots.counts", "unknown key, did you mean `count`?"),
  ],
  [slotted({}), graphsRequired],
  [slotted({ graphs: [] }), graphsRequired],
  [slotted({ graphs: "cities" }), `${names}\n  ${graphsRequired}`],
  [
    slotted({ graphs: ["citys"] }),
    problemAt("slots.graphs", 'citys is undeclared, must be one of ["cities","towns"]'),
  ],
  [
    slotted({ graphs: ["towns"] }),
    problemAt("slots", "dispatcher with engines that have its graphs required"),
  ],
  ...[0, 8, 100, 131_072, 4096.5, "4096", Number.NaN, [4096]].map(
    (invalidCount) => [slotted({ graphs: ["cities"], count: invalidCount }), count] as const,
  ),
  [
    slotted({ graphs: ["cities"], everywhere: ["a\n"] }),
    problemAt("slots.everywhere", "list of names required"),
  ],
  [
    slotted({ graphs: ["cities"], everywhere: ["__vertex__"] }),
    problemAt("slots.everywhere", "list of names required"),
  ],
  [
    slotted({ graphs: ["cities"] }, { topology: makeRows(["S1", "S2"], ["B2", "B1"]) }),
    "System descriptor topology.dispatch.TD partition 0 has replicas of B1 and of B2\n  " +
      "System descriptor topology.dispatch.TD partition 1 has replicas of B2 and of B1",
  ],
  [
    slotted({ graphs: ["cities"] }, { topology: makeRows(["S1", "B1"]) }),
    "System descriptor topology.dispatch.TD partition 1 has B1, as partition 0 has",
  ],
  [
    slotted({ graphs: ["cities"] }, { topology: makeRows(["S1", "S2"], ["B1", "TD"]) }),
    "System descriptor topology.dispatch.TD partition 1 has replicas of B2 and of B1, B2",
  ],
];

const MISTAKES: readonly (readonly [unknown, string])[] = [
  [null, "System descriptor must be dict"],
  [[], "System descriptor must be dict"],
  ["x", "System descriptor must be dict"],
  [{}, problemAt("instances", "dict with one instance or more required")],
  [
    two({}, { format: 2, later: {} }),
    "System descriptor: format 2 is of a later release, this one reads up to 1: " +
      "install the later release",
  ],
  [two({}, { format: "1" }), problemAt("format", "1 required")],
  [{ instances: {} }, problemAt("instances", "dict with one instance or more required")],
  [{ instances: [] }, problemAt("instances", "dict with one instance or more required")],
  [two({}, { name: 5 }), problemAt("name", "string required")],
  [two({}, { name: "" }), problemAt("name", "string required")],
  [two({}, { graphs: "cities" }), problemAt("graphs", "list of strings required")],
  [two({}, { graphs: [5] }), problemAt("graphs[0]", "name of a graph required")],
  [two({}, { graphs: ["a/b"] }), problemAt("graphs[0]", "name of a graph required")],
  [two({}, { common: 1 }), problemAt("common", "dict required")],
  [two({}, { topology: 1 }), problemAt("topology", "dict required")],
  [two({}, { archive: "x" }), problemAt("archive", "dict required")],
  [archive({ to: "" }), problemAt("archive.to", "folder or s3://bucket/prefix required")],
  [archive({ to: 5 }), problemAt("archive.to", "folder or s3://bucket/prefix required")],
  [archive({ from: "S2" }), problemAt("archive.from", "instance required")],
  [archive({ from: "TD" }), problemAt("archive.from", "a dispatcher has no graphs")],
  [archive({ every: "10" }), problemAt("archive.every", period)],
  [archive({ keep: 30 }), problemAt("archive.keep", period)],
  [archive({ evry: "1s" }), problemAt("archive.evry", "unknown key, did you mean `every`?")],
  [two({}, { tls: "yes" }), problemAt("tls", "true, false or dict required")],
  [two({}, { tls: { ca: 5 } }), problemAt("tls.ca", "string required")],
  [two({}, { tls: { cert: "a.pem" } }), problemAt("tls", "cert and key required, or neither")],
  [two({}, { tls: { keys: "a.pem" } }), problemAt("tls.keys", "unknown key, did you mean `key`?")],
  [two({}, { instanses: 1 }), problemAt("instanses", "unknown key, did you mean `instances`?")],
  [
    two({}, { topology: { transactions: {} } }),
    problemAt("topology.transactions", "unknown key, did you mean `transaction`?"),
  ],
  [two({ hports: 1 }), problemAt("instances.S1.hports", "unknown key, did you mean `hport`?")],
  [two({ rack: 5 }), problemAt("instances.S1.rack", "unknown key")],
  [two({}, { common: { rack: 5 } }), problemAt("common.rack", "unknown key")],
  [two({}, { owner: "x" }), problemAt("owner", "unknown key")],
  [
    dispatch([{ partitions: ["S1"], weight: 2 }]),
    problemAt("topology.dispatch.TD[0].weight", "unknown key"),
  ],
  [two({}, { instances: { S1: { hport: 1 }, s1: { hport: 3 } } }), onlyCase],
  [
    transaction({ TD: ["S1"] }),
    problemAt("instances.S1.tport", "tport required: TD provides its changes"),
  ],
  [
    dispatch([{ partitions: ["S1", "TD"] }, { partitions: ["TD", "TD"] }]),
    "System descriptor topology.dispatch.TD engine TD is in two places: " +
      "row 0 partition 1 and row 1 partition 0\n  " +
      "System descriptor topology.dispatch.TD engine TD is in two places: " +
      "row 0 partition 1 and row 1 partition 1",
  ],
  [{ instances: { S1: 5 } }, problemAt("instances.S1", "dict required")],
  [
    { instances: { "a,b": { hport: 9 } } },
    problemAt("instances.a,b", "id of letters, digits, . _ - required"),
  ],
  [
    { instances: { "*": { hport: 9 } } },
    problemAt("instances.*", "id of letters, digits, . _ - required"),
  ],
  [
    JSON.parse('{"instances": {"__proto__": {"hport": 9}}}'),
    problemAt("instances.__proto__", "id of letters, digits, . _ - required"),
  ],
  [{ instances: { S1: {} } }, problemAt("instances.S1.hport", port)],
  [two({ hport: 0 }), problemAt("instances.S1.hport", port)],
  [two({ hport: "9000" }), problemAt("instances.S1.hport", port)],
  [two({ hport: 65535 }), problemAt("instances.S1.hport", port)],
  [
    two({ type: "serch" }),
    problemAt(
      "instances.S1.type",
      'must be one of ["admin","dispatch","builder","txproxy","search","generic"]',
    ),
  ],
  [two({ group: "1" }), problemAt("instances.S1.group", "number required")],
  [two({ host: "" }), problemAt("instances.S1.host", "host name or address required")],
  [two({ host: "a b" }), problemAt("instances.S1.host", "host name or address required")],
  [two({ host: "http://a/" }), problemAt("instances.S1.host", "host name or address required")],
  [two({ prefix: "a b" }), problemAt("instances.S1.prefix", "invalid characters in prefix path")],
  [two({ "s-in": "yes" }), problemAt("instances.S1.s-in", "true or false required")],
  [two({ description: 5 }), problemAt("instances.S1.description", "string required")],
  [two({ tport: -1 }), problemAt("instances.S1.tport", "integer required, 65535 at most")],
  [two({ tport: 9110 }), problemAt("instances.S1.tport", "cannot be same as hport or hport+1")],
  [two({ tport: 9111 }), problemAt("instances.S1.tport", "cannot be same as hport or hport+1")],
  [two({ durable: true }), problemAt("instances.S1.tport", "tport required when durable is true")],
  [
    two({ attach: true }),
    problemAt("instances.S1.attach", "instance type generic cannot be attached"),
  ],
  [two({ type: "builder", attach: true }), problemAt("instances.S1.attach", "no subscribers")],
  [two({ graph: 5 }), problemAt("instances.S1.graph", "names with blanks between them required")],
  [
    two({ graph: "cities towns" }),
    problemAt("instances.S1.graph", 'towns is undeclared, must be one of ["cities"]'),
  ],
  [two({ hport: 9990 }), problemAt("instances.S1.hport", "duplicate port 9990 on host 127.0.0.1")],
  [two({ hport: 9991 }), problemAt("instances.S1.hport", "duplicate port 9991 on host 127.0.0.1")],
  [two({ tport: 9990 }), problemAt("instances.S1.tport", "duplicate port 9990 on host 127.0.0.1")],
  [two({ prefix: "/x" }), problemAt("instances.S1.prefix", "must be the same for all instances")],
  [
    {
      instances: {
        B1: { type: "builder", hport: 1000, group: 1 },
        B2: { type: "builder", hport: 2000, group: 1 },
      },
    },
    problemAt("instances.B2.group", "duplicate builder group 1"),
  ],
  [transaction({ S9: {} }), 'System descriptor topology.transaction instance "S9" is undefined'],
  [
    two({ tport: 9200 }, { topology: { transaction: { TD: ["S1", "S1"] } } }),
    'System descriptor topology.transaction duplicate for instance "S1"',
  ],
  [
    transaction({ TD: ["TD"] }),
    'System descriptor topology.transaction duplicate for instance "TD"',
  ],
  [transaction("S1"), "invalid transaction topology"],
  [transaction([["S1"]]), "invalid transaction topology"],
  [transaction({ TD: 5 }), "invalid transaction topology"],
  [two({}, { topology: { dispatch: [] } }), problemAt("topology.dispatch", "dict required")],
  [
    two({}, { topology: { dispatch: { T9: [] } } }),
    'System descriptor topology.dispatch instance "T9" is undefined',
  ],
  [dispatch("S1"), "System descriptor topology.dispatch.TD list or dict required"],
  [dispatch([5]), "System descriptor topology.dispatch.TD replica 0 dict required"],
  [dispatch([{}]), "System descriptor topology.dispatch.TD row 0 partitions missing"],
  [
    dispatch([{ partitions: ["S9"] }]),
    "System descriptor topology.dispatch.TD replica 0 engine S9 is undefined",
  ],
  [
    dispatch([{ channels: 128, priority: 0, partitions: ["S1"] }]),
    "System descriptor topology.dispatch.TD replica 0 'channels':128 out of range",
  ],
  [
    dispatch([{ priority: 128, channels: 1, partitions: ["S1"] }]),
    "System descriptor topology.dispatch.TD replica 0 'priority':128 out of range",
  ],
  [
    dispatch([{ channels: 64, priority: 2, partitions: ["S1"] }]),
    "System descriptor topology.dispatch.TD replica 0 max cost 2 x 64 = 128 out of range",
  ],
  [
    dispatch([{ primary: "yes", partitions: ["S1"] }]),
    "System descriptor topology.dispatch.TD replica 0 'primary' must be bool or int",
  ],
  [
    dispatch([
      { primary: true, partitions: ["S1"] },
      { primary: 1, partitions: ["TD"] },
    ]),
    "System descriptor topology.dispatch.TD row 1 cannot have multiple primary",
  ],
  [uneven, "System descriptor topology.dispatch.TD replica 1 has 2 of 1 partitions"],
];

for (const [value, text] of [...MISTAKES, ...SLOT_MISTAKES]) {
  test(`reports: ${text}`, () => assert.equal(listProblems(value), text.split("\n  ")));
}

test("finds the groups of slots in an order that does not depend on that of keys", () => {
  const many = Object.fromEntries(
    ["B10", "B9", "B2"].map((id, index) => [id, { type: "builder", hport: 100 * index + 100 }]),
  );
  const instances = { ...many, TD: { type: "dispatch", hport: 9990 } };
  const topology = { dispatch: { TD: [{ partitions: ["B10", "B2", "B9"] }] } };
  const { slots } = readDescriptor(slotted({ graphs: ["cities"] }, { instances, topology }));
  assert.equal(slots!.groups, ["B2", "B9", "B10"]);
  assert.is(slots!.map.count, 4096);
});

test("has more slots by default, and requires one for each group", () => {
  const ids = Array.from({ length: 130 }, (_, index) => `B${index}`);
  const builders = ids.map((id, index) => [id, { type: "builder", hport: 2 * index + 100 }]);
  const tops = { T: { hport: 8000 }, D1: { hport: 8010 }, D2: { hport: 8020 } };
  const instances = { ...Object.fromEntries(builders), ...tops };
  const dispatch = {
    T: [{ partitions: ["D1", "D2"] }],
    D1: [{ partitions: ids.slice(0, 65) }],
    D2: [{ partitions: ids.slice(65) }],
  };
  const system = (slots: object) => slotted(slots, { instances, topology: { dispatch } });
  const { slots } = readDescriptor(system({ graphs: ["cities"] }));
  assert.equal([slots!.map.count, slots!.groups.length], [16_384, 130]);
  assert.equal(listProblems(system({ graphs: ["cities"], count: 128 })), [
    problemAt("slots.count", "128 slots are too few for 130 groups"),
  ]);
});

test("reports all errors at once", () => {
  const value = two({ hport: 0, type: "x" }, { name: 5, topology: { dispatch: { TD: [{}] } } });
  assert.is(listProblems(value).length, 4);
});

test("terminates on a cyclic or deep tree", () => {
  const tree: Record<string, unknown> = {};
  tree.TD = { S1: tree };
  const cyclic = two({ tport: 9200 }, { topology: { transaction: tree } });
  assert.is(listProblems(cyclic).length, 1);
  let deep: unknown = "S1";
  for (let depth = 0; depth < 100_000; depth++) deep = [["S1", deep]];
  assert.ok(listProblems(transaction(deep)).length > 0);
});

test("reads the example of eight nodes", () => {
  const system = readDescriptor(eightNodes());
  assert.equal([system.name, system.graphs, system.instances.size], ["Cities", ["cities"], 8]);
  assert.equal(system.subscribers.get("B0.1"), ["S1.1", "S2.1"]);
  assert.equal(
    [...system.providers],
    [
      ["S1.1", "B0.1"],
      ["S2.1", "B0.1"],
      ["S1.2", "B0.2"],
      ["S2.2", "B0.2"],
    ],
  );
  assert.equal(system.matrices.get("TD"), {
    partitions: [
      ["S1.1", "S2.1", "B0.1"],
      ["S1.2", "S2.2", "B0.2"],
    ],
    rows: [
      { channels: 32, priority: 1, primary: false, leader: false },
      { channels: 32, priority: 1, primary: false, leader: false },
      { channels: 2, priority: 20, primary: true, leader: false },
    ],
    allowIncomplete: true,
  });
});

test("reads the names of older descriptors, with all graphs for all instances", () => {
  const { topology, common, instances, ...rest } = eightNodes();
  const { transaction: input, dispatch: search } = topology;
  const old = {
    ...rest,
    instances: { ...instances, TD: { type: "dispatch", hport: 1, graph: "" } },
  };
  const { descriptor, ...system } = readDescriptor({ ...old, topology: { input, search } });
  assert.equal(system.subscribers.get("B0.2"), ["S1.2", "S2.2"]);
  assert.equal(system.instances.get("S1.1")!.graphs, ["cities"]);
  assert.equal(system.instances.get("TD")!.graphs, []);
  assert.equal(Object.keys((descriptor as typeof old & { topology: object }).topology), [
    "transaction",
    "dispatch",
  ]);
  assert.ok(common);
});

test("accepts comments and the address of the schema", () => {
  const rows = [{ comment: "ours", partitions: ["S1"] }];
  const more = { comment: "ours", $schema: "x", topology: { dispatch: { TD: rows } } };
  assert.equal(listProblems(two({ comment: "ours" }, more)), []);
});

test("accepts the same engine in the matrices of two dispatchers", () => {
  const rows = [{ partitions: ["S1"] }];
  const instances = { TD: { hport: 9990 }, TE: { hport: 9980 }, S1: { hport: 9110 } };
  assert.equal(listProblems({ instances, topology: { dispatch: { TD: rows, TE: rows } } }), []);
});

test("accepts the replicas of one dispatcher as an object", () => {
  const { matrices } = readDescriptor(dispatch({ S1: { channels: 64, priority: 1 } }));
  assert.equal(matrices.get("TD"), {
    partitions: [["S1"]],
    rows: [{ channels: 64, priority: 1, primary: false, leader: false }],
    allowIncomplete: false,
  });
});

const GROUP = {
  leadership: { engine: "nats://127.0.0.1:4222/leaders" } as object | null,
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { type: "builder", hport: 9100, tport: 9102 },
    S1: { type: "search", hport: 9110, tport: 9112 },
  } as Record<string, object>,
  topology: {
    transaction: { B1: ["S1"] } as object,
    dispatch: { TD: [{ partitions: ["S1"] }, { partitions: ["@B1"], primary: true }] } as object,
  },
};

test("a leader's row has a replica for each member of its group", () => {
  const { leadership, matrices } = readDescriptor(GROUP);
  const rules = { ttl: 2000, minSynced: 1, whenAlone: "refuse" };
  assert.equal(leadership, { engine: "nats://127.0.0.1:4222/leaders", ...rules });
  const row = { channels: 32, priority: 2 };
  assert.equal(matrices.get("TD"), {
    partitions: [["S1", "B1", "S1"]],
    rows: [
      { ...row, primary: false, leader: false },
      { ...row, primary: true, leader: true },
      { ...row, primary: false, leader: true },
    ],
    allowIncomplete: false,
  });
  assert.is(
    readDescriptor({ ...GROUP, leadership: { engine: "none" }, topology: {} }).leadership,
    null,
  );
});

test("rejects leadership that cannot work, with all errors at once", () => {
  const engine = "nats://a:1/x";
  const cases: [object, RegExp][] = [
    [{ leadership: 5 }, /"leadership" invalid or missing \(dict required\)/],
    [{ leadership: {} }, /leadership\.engine/],
    [{ leadership: { engine, ttl: 100 } }, /leadership\.ttl.*from 500 to 60000/],
    [{ leadership: { engine, minSynced: -1 } }, /leadership\.minSynced/],
    [{ leadership: { engine, minSynced: 2 } }, /less than 2 required, the members of group B1/],
    [{ leadership: { engine, whenAlone: "wait" } }, /leadership\.whenAlone/],
    [{ leadership: { engine, tll: 1 } }, /leadership\.tll.*did you mean/s],
    [{ leadership: null }, /@B1 is no group/],
    [
      { instances: { ...GROUP.instances, B1: { type: "builder", hport: 9100 } } },
      /instances\.B1\.tport.*each member of group B1 can follow/,
    ],
    [
      {
        instances: { ...GROUP.instances, S2: { type: "search", hport: 9120, tport: 9122 } },
        topology: { transaction: { B1: { S1: ["S2"] } } },
      },
      /instances of a chain choose no leader: B1 must provide S2, too/,
    ],
    [
      { topology: { ...GROUP.topology, dispatch: { TD: [{ partitions: ["@B1", "S1"] }] } } },
      /needs groups of one size in all partitions, or no group/,
    ],
  ];
  for (const [change, expected] of cases) {
    assert.throws(() => readDescriptor({ ...GROUP, ...change }), expected, String(expected));
  }
});

test.run();
