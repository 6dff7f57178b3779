// Restores of random histories to random positions and times: each graph has the digest that it had
// after its last transaction before. ROUNDS=n restores as often, SEED=n repeats a run.
// limit: 60 s

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operationCountAfter } from "../../runtime/graph/log/transaction-format.js";
import { digestCheckpoint } from "../../runtime/graph/store/verify-digest.js";
import { readSecond } from "../../runtime/interconnect/archive/log-pieces.js";
import type { RestoreTarget } from "../../runtime/interconnect/archive/restore-plan.js";
import { verifyBackup } from "../../runtime/interconnect/archive/verify-backup.js";
import { realDisk } from "../../runtime/interconnect/log/disk.js";
import { LogCatalog } from "../../runtime/interconnect/log/log-catalog.js";
import { readLog } from "../../runtime/interconnect/log/segments.js";
import { forEachTransaction } from "../../runtime/interconnect/log/transactions.js";
import {
  ALWAYS,
  createWriter,
  folderStore,
  ONCE,
  restore,
  step,
} from "../runtime/interconnect/archive/support.js";
import type { Instance } from "../runtime/interconnect/support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  withInstances,
} from "../runtime/interconnect/support/instances.js";
import { rounds } from "../support/rounds.js";
import { FakeClock } from "./support/fake-clock.js";
import { Random, SEED } from "./support/random.js";
import { changeAtRandom } from "./support/random-changes.js";

const ROUNDS = rounds(8);
const GRAPHS = ["g", "h"];

const test = suite<InstancesContext>("restores");
withInstances(test);

/** A transaction of the log: where a graph was after it. */
interface Logged {
  readonly sn: number;
  readonly name: string;
  readonly count: number;
  readonly second: number;
}

function readTransactions(root: string): Logged[] {
  const changes: Logged[] = [];
  const catalog = new LogCatalog();
  readLog(realDisk, join(root, "_txlog"), (frame) => {
    catalog.readFrame(frame, () => undefined);
    if (frame.header.isTable) return;
    let { sn } = frame.header;
    forEachTransaction(frame, {
      transaction: (words, offset, graph) => {
        const { name } = catalog.byNumber(graph)!;
        const count = operationCountAfter(words, offset);
        changes.push({ sn: sn++, name, count, second: readSecond(words, offset) });
      },
      control: () => sn++,
    });
  });
  return changes;
}

/** Changes both graphs; returns the digests of all their states. */
async function makeHistory(context: InstancesContext, instance: Instance, random: Random) {
  const clock = new FakeClock().start();
  const digests = new Map<string, string>();
  const change = (name: string): void => {
    const store = instance.store(name);
    changeAtRandom(instance.graph(name), random);
    const { count, digest } = digestCheckpoint(store)!;
    digests.set(`${name} ${count}`, digest);
  };
  try {
    for (const name of GRAPHS) change(name);
    const { log: first } = (await step(instance, createWriter(context)))!;
    for (let manifest = 0; manifest < 6; manifest++) {
      for (let remaining = random.below(40); remaining >= 0; remaining--) {
        change(random.of(GRAPHS));
        if (random.below(10) === 0) clock.second += random.below(3);
      }
      if (random.below(3) === 0) await instance.save();
      // A writer continues the backup of another one.
      await step(instance, createWriter(context, random.of([ALWAYS, ONCE, ONCE])));
    }
    await instance.save();
    await step(instance, createWriter(context, ALWAYS));
    return { first, digests };
  } finally {
    clock.stop();
  }
}

test("restores the state of each graph at any moment", async (context) => {
  const random = new Random();
  const instance = await begin(context, "a");
  const { first, digests } = await makeHistory(context, instance, random);
  const transactions = readTransactions(join(context.folder, "a"));
  const last = transactions.at(-1)!.sn;
  for (let round = 0; round < ROUNDS; round++) {
    const sn = first.sn + random.below(last - first.sn + 1);
    const { second } = transactions.findLast((logged) => logged.sn <= sn)!;
    const target = random.of<RestoreTarget>([
      { kind: "position", id: first.id, sn },
      { kind: "time", second },
    ]);
    await restore(context, `r${round}`, target);
    const restoredInstance = await begin(context, `r${round}`);
    for (const name of GRAPHS) {
      const { count, digest } = digestCheckpoint(restoredInstance.store(name))!;
      const expected = transactions.findLast((logged) => {
        const isBefore = target.kind === "time" ? logged.second <= second : logged.sn <= sn;
        return logged.name === name && isBefore;
      });
      const label = `SEED=${SEED}: ${name} at ${JSON.stringify(target)}`;
      assert.is(count, expected?.count ?? 0, label);
      assert.is(digest, digests.get(`${name} ${count}`), label);
    }
    await end(restoredInstance);
  }
  const { graphs, compared } = await verifyBackup(folderStore(context), context.folder);
  assert.is(graphs, GRAPHS.length);
  assert.ok(compared > 0);
});

test.run();
