// Start arguments of each instance, for the usual topologies.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planArchive } from "../../../runtime/base/archive-config.js";
import type { ResolvedConfig } from "../../../runtime/settings/config-rule.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import {
  type InstancePlan,
  planInstance,
  plannedSettings,
} from "../../../runtime/system/instance-plan.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { eightNodes } from "./eight-nodes.js";

const test = suite("instance plan");

/** Plans of all instances, by id. */
function plans(descriptor: object): Record<string, InstancePlan> {
  const system = readDescriptor(descriptor);
  return Object.fromEntries(
    [...system.instances.keys()].map((id) => [id, planInstance(system, id)]),
  );
}

test("slots: the same map everywhere, and in dispatchers the partitions of groups", () => {
  const engine = (hport: number) => ({ type: "builder", graph: "g", hport });
  const planned = plans({
    graphs: ["g"],
    slots: { graphs: ["g"], count: 16, everywhere: ["root"] },
    instances: {
      ...{ T: { type: "dispatch", hport: 1000 }, D: { type: "dispatch", hport: 1010 } },
      ...{ B1: engine(2000), B2: engine(2010), B3: engine(2020), A1: { hport: 3000 } },
      S2: { type: "search", graph: "g", hport: 4000, tport: 5000 },
    },
    topology: {
      transaction: { B2: ["S2"] },
      dispatch: { T: [{ partitions: ["S2", "D"] }], D: [{ partitions: ["B3", "B1"] }] },
    },
  });
  const runs = [...[[0, 0] as const, [6, 1] as const, [11, 2] as const]];
  for (const { slots } of Object.values(planned)) {
    assert.equal(slots!.map, { count: 16, runs });
    assert.equal(slots!.groups, ["B1", "B2", "B3"]);
    assert.equal([slots!.graphs, slots!.everywhere], [["g"], ["root"]]);
  }
  const id = planned.B1!.slots!.id;
  assert.match(id, /^[0-9a-f]{16}$/);
  for (const { slots } of Object.values(planned)) assert.is(slots!.id, id);
  const slotRows = Object.values(planned).map(
    ({ id, slots }) => `${id} ${slots!.own} ${slots!.partitions}`,
  );
  assert.equal(slotRows, [
    ...["T -1 1,0,1", "D -1 1,-1,0", "B1 0 null", "B2 1 null", "B3 2 null", "A1 -1 null"],
    "S2 1 null",
  ]);
  const top = readMatrixConfig(planned.T!.dispatcher).slots!;
  assert.equal(top, {
    id,
    count: 16,
    runs: [
      [0, 1],
      [6, 0],
      [11, 1],
    ],
    groups: [["B2"], ["B3", "B1"]],
  });
  const below = readMatrixConfig(planned.D!.dispatcher).slots!;
  assert.equal(below, {
    id,
    count: 16,
    runs: [
      [0, 1],
      [6, -1],
      [11, 0],
    ],
    groups: [["B3"], ["B1"]],
  });
});

test("one instance makes the continuous backup", () => {
  const archive = { from: "S1", to: "s3://bucket/shop", every: "30s", keep: null };
  const planned = plans({ instances: { S1: { hport: 1 }, S2: { hport: 3 } }, archive });
  const { from: _, ...config } = archive;
  assert.equal([planned.S1!.archive, planned.S2!.archive], [config, null]);
  const resolved = { name: null, graphs: {}, http: { transport: "net" } } as ResolvedConfig;
  assert.equal(plannedSettings(planned.S1!, resolved).archive, config);
  assert.not("archive" in plannedSettings(planned.S2!, resolved));
  const ms = { everyMs: 30_000, fullMs: 86_400_000, keepMs: 2_592_000_000, verifyMs: 604_800_000 };
  assert.equal(planArchive(config), { place: "s3://bucket/shop", ...ms });
});

test("the example of eight nodes", () => {
  const planned = plans(eightNodes());
  assert.equal(planned["S1.2"], {
    id: "S1.2",
    type: "search",
    folder: "search_S1.2",
    host: "10.0.0.7",
    port: 9210,
    ip: "10.0.0.7",
    prefix: null,
    serviceIn: false,
    description: "Search S1.2 at 10.0.0.7:9210",
    role: "engine",
    dispatcher: null,
    isBackEnd: true,
    graphs: { cities: { local: false } },
    expires: false,
    provider: "B0.2",
    subscribers: [],
    attached: [],
    txPort: 10210,
    durable: false,
    archive: null,
    leadership: null,
    partition: "3000.002",
    group: 3000.002,
    slots: null,
  });
  const partitions = Object.values(planned).map(({ id, partition }) => `${id} ${partition}`);
  assert.equal(partitions, [
    "A1 1000.001",
    "TD 2000.001",
    "B0.1 3000.001",
    "B0.2 3000.002",
    "S1.1 3000.001",
    "S2.1 3000.001",
    "S1.2 3000.002",
    "S2.2 3000.002",
  ]);
  assert.is(planned["B0.1"]!.expires, true);
  assert.equal(planned.A1!.graphs, { cities: { local: true } });
  const {
    partitions: matrix,
    primaryRow,
    allowIncomplete,
  } = readMatrixConfig(planned.TD!.dispatcher);
  assert.equal([matrix.length, primaryRow, allowIncomplete], [2, 2, true]);
  assert.equal(matrix[1]![0], { host: "10.0.0.7", port: 9210 });
});

test("single", () => {
  const { G1 } = plans({ instances: { G1: { hport: 9000 } } });
  assert.equal(
    [G1!.role, G1!.serviceIn, G1!.partition, G1!.ip],
    ["all", true, "1000.001", "127.0.0.1"],
  );
});

test("proxy: the dispatcher has the partition of its engines if they share one", () => {
  const instances = { TD: { type: "dispatch", hport: 1000 }, S1: { type: "search", hport: 2000 } };
  const topology = { dispatch: { TD: { S1: {} } } };
  const planned = plans({ instances, topology });
  assert.equal([planned.TD!.partition, planned.S1!.partition], ["3000.001", "3000.001"]);
  assert.equal(
    [planned.TD!.role, planned.TD!.isBackEnd, planned.S1!.isBackEnd],
    ["dispatcher", false, true],
  );
});

test("with a tier of proxies: the partition is that of the root", () => {
  const instances = {
    B1: { type: "builder", hport: 1000 },
    X1: { type: "txproxy", hport: 2000, tport: 2100, durable: true, attach: true },
    S1: { type: "search", hport: 3000, tport: 3100 },
  };
  const planned = plans({ instances, topology: { transaction: { B1: { X1: ["S1"] } } } });
  assert.equal(
    [planned.X1!.provider, planned.X1!.subscribers, planned.X1!.attached],
    ["B1", ["S1"], ["127.0.0.1:3100"]],
  );
  assert.equal([planned.S1!.provider, planned.S1!.partition], ["X1", "3000.001"]);
  assert.equal([planned.X1!.serviceIn, planned.X1!.expires], [false, false]);
});

test("several levels, and a cycle", () => {
  const instances = {
    T1: { type: "dispatch", hport: 1000 },
    T2: { type: "dispatch", hport: 2000 },
    S1: { type: "search", hport: 3000 },
  };
  const levels = { T1: [{ partitions: ["T2"] }], T2: [{ partitions: ["S1"] }] };
  const planned = plans({ instances, topology: { dispatch: levels } });
  assert.equal([planned.T1!.partition, planned.T2!.partition], ["2000.001", "3000.001"]);
  const ring = { T1: { T2: {} }, T2: { T1: {} } };
  const around = plans({ instances, topology: { dispatch: ring } });
  assert.equal([around.T1!.isBackEnd, around.T2!.isBackEnd], [true, true]);
});

test("a host name listens on all addresses", () => {
  const { G1 } = plans({ instances: { G1: { hport: 9000, host: "g1.example" } } });
  assert.equal([G1!.ip, G1!.host], [null, "g1.example"]);
});

test.run();
