// Of the instances of a system exactly one runs the jobs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hasOwnJobs } from "../../../runtime/lifecycle/own-jobs.js";

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

const node = (id: string) => ({ id, host: "127.0.0.1", descriptor: DESCRIPTOR });

test("run on the first engine that is no subscriber", () => {
  const ids = Object.keys(DESCRIPTOR.instances);
  const own = ids.filter((id) => hasOwnJobs({ jobs: "auto", node: node(id) }));
  assert.equal(own, ["B1"]);
});

test("run on a single server, and as the setting says", () => {
  assert.is(hasOwnJobs({ jobs: "auto", node: null }), true);
  assert.is(hasOwnJobs({ jobs: false, node: null }), false);
  assert.is(hasOwnJobs({ jobs: true, node: node("TD") }), true);
});

test.run();
