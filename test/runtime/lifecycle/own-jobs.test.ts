// Of the instances of a system exactly one runs the jobs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { placeJobs } from "../../../runtime/lifecycle/own-jobs.js";
import { planInstance } from "../../../runtime/system/instance-plan.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("own jobs");

const DESCRIPTOR = {
  graphs: ["shop"],
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    S1: { type: "search", hport: 9100, tport: 9102 },
    B1: { type: "builder", hport: 9200 },
    B2: { type: "builder", hport: 9300 },
  },
  topology: {
    transaction: { B1: ["S1"] },
    dispatch: { TD: [{ partitions: ["S1"] }] },
  },
};

const node = (id: string, descriptor: object = DESCRIPTOR) => ({
  ...{ id, host: "127.0.0.1", descriptor },
});

const alone = { leadership: null };

/** Ids of the instances whose schedules run by a rule. */
function places(descriptor: object, jobs: "auto" | boolean = "auto"): Record<string, string> {
  const system = readDescriptor(descriptor);
  const ids = [...system.instances.keys()];
  const readPlacement = (id: string): string => {
    const { leadership } = planInstance(system, id);
    const placement = placeJobs({ jobs, node: node(id, descriptor), leadership }, () => null);
    return typeof placement === "string" ? placement : "leader";
  };
  return Object.fromEntries(ids.map((id) => [id, readPlacement(id)]));
}

test("run on the first engine that is no subscriber", () => {
  const others = { TD: "elsewhere", S1: "elsewhere", B2: "elsewhere" };
  assert.equal(places(DESCRIPTOR), { ...others, B1: "here" });
});

test("run on the leader of the first engine's group", () => {
  const { TD, S1, B1, B2 } = DESCRIPTOR.instances;
  const grouped = {
    ...DESCRIPTOR,
    instances: { TD, S1, B1: { ...B1, tport: 9202 }, B2 },
    leadership: { engine: "http://127.0.0.1:2379/svc" },
  };
  const others = { TD: "elsewhere", B2: "elsewhere" };
  assert.equal(places(grouped), { ...others, B1: "leader", S1: "leader" });
});

test("run on a single server, and as configured", () => {
  assert.is(
    placeJobs({ jobs: "auto", node: null, ...alone }, () => null),
    "here",
  );
  assert.is(
    placeJobs({ jobs: false, node: null, ...alone }, () => null),
    "elsewhere",
  );
  assert.is(
    placeJobs({ jobs: true, node: node("TD"), ...alone }, () => null),
    "here",
  );
});

test.run();
