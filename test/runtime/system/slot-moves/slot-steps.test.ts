// Runs that move slots, with instances in memory: of two runs at most one acts, and a run acts only
// on what it saw while it had the lease.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../../runtime/base/errors.js";
import {
  changeSlots,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "../../../../runtime/base/slot-record.js";
import { Lease } from "../../../../runtime/lifecycle/lease.js";
import type { InstanceCalls } from "../../../../runtime/system/instance-calls.js";
import { ProcedureLease } from "../../../../runtime/system/procedure-lease.js";
import { readDescriptor } from "../../../../runtime/system/read-descriptor.js";
import { chooseLeaseSeconds } from "../../../../runtime/system/slot-moves/slot-instances.js";
import { SlotSteps } from "../../../../runtime/system/slot-moves/slot-steps.js";
import { ENGINE, SETTLED, TWO_GROUPS } from "../../../support/two-groups.js";

const test = suite("slot steps");
const MOVE: SlotMove = { id: "a", version: 1, from: "B1", to: "B2", slots: [3] };
const HELD: SlotRecord = { ...SETTLED, move: { ...MOVE, isGiven: false } };

interface Command {
  readonly do: string;
  readonly command?: SlotCommand;
  readonly last?: SlotCommand;
}

class Instance {
  lease = new Lease(() => {});
  leads = true;
  readonly done: string[] = [];
  /** Of the leases that runs asked for. */
  readonly seconds = new Set<string>();

  constructor(
    readonly id: string,
    public record: SlotRecord,
  ) {}

  take({ holder, seconds, force, what, operator }: Readonly<Record<string, string>>): object {
    if (seconds === "0") {
      this.lease.release(holder!);
      return { status: "released" };
    }
    this.seconds.add(seconds!);
    const claim = { holder: holder!, what: what!, operator: operator!, seconds: 60 };
    const refusal = this.lease.take({ ...claim, isForced: force === "1" });
    return refusal === null ? { status: "granted" } : { status: "held", ...refusal };
  }

  execute(holder: string, command: Command) {
    const isOwn = this.lease.isHeldBy(holder);
    const { record, leads } = this;
    const look = { record, leads, term: 0, digests: {}, isOwn };
    if (command.do === "look") return look;
    if (!isOwn) throw new SvcError("SVC3115", "lease lost on this instance");
    this.done.push(command.command?.do ?? command.do);
    const replica = this.id === "TD" ? null : this.id;
    const received = command.command ?? command.last;
    if (command.last !== undefined) this.done.push(command.last.do);
    if (received !== undefined) this.record = changeSlots(record, replica, received);
    return { ...look, record: this.record };
  }
}

function begin(target: SlotRecord) {
  return [
    new Instance("B1", SETTLED),
    new Instance("B2", target),
    new Instance("TD", SETTLED),
  ] as const;
}

let server: Server;
test.before(async () => {
  server = createServer((_request, response) => {
    response.end('{"status": "OK", "response": {}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
test.after(() => {
  server.close();
});

type Parameters = Readonly<Record<string, string>>;

/** @param before runs before each call */
function listCalls(
  instances: readonly Instance[],
  before: (id: string, kind: string) => unknown = () => undefined,
): InstanceCalls {
  const { port } = server.address() as AddressInfo;
  return {
    system: TWO_GROUPS,
    address: () => ({ host: "127.0.0.1", port, secure: null }),
    call: async (id, operation, parameters: Parameters, body) => {
      const command = body === undefined ? null : JSON.parse(body);
      await before(id, command?.do ?? operation);
      const instance = instances.find((candidate) => candidate.id === id)!;
      if (command === null) return instance.take(parameters);
      return instance.execute(parameters.lease!, command);
    },
  };
}

async function rejectionCode(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "done",
    (error: SvcError) => error.code ?? String(error),
  );
}

test("two runs that preempt each other never act with half of the leases", async () => {
  const instances = begin(SETTLED);
  const events = new Map<string, () => void>();
  const later = (name: string) => new Promise<void>((resolve) => events.set(name, resolve));
  const [firstHasB1, secondHasAll] = [later("first"), later("second")];
  const isAsked = new Set<string>();
  const first = listCalls(instances, (id) => {
    // Its second instance comes after all of the other run.
    if (id === "B2") events.get("first")!();
    return id === "B2" ? secondHasAll : undefined;
  });
  const second = listCalls(instances, (id) => {
    if (isAsked.has(id)) events.get("second")!();
    isAsked.add(id);
  });
  let acting = 0;
  const run = (calls: InstanceCalls) => {
    const forced = { ...calls, isForced: true };
    return rejectionCode(
      ProcedureLease.during(forced, "a run", async () => {
        acting++;
      }),
    );
  };
  const outcome = run(first);
  await firstHasB1;
  const outcomes = await Promise.all([outcome, run(second)]);
  assert.ok(outcomes.includes("SVC3331"), outcomes.join());
  assert.ok(acting <= 1, outcomes.join());
});

test("a lease is renewed while another instance does not respond", async () => {
  const instances = begin(SETTLED);
  const callCounts = new Map<string, number>();
  let hangs = false;
  let go = (): void => {};
  const late = new Promise<void>((resolve) => {
    go = resolve;
  });
  const calls = listCalls(instances, (id) => {
    callCounts.set(id, (callCounts.get(id) ?? 0) + 1);
    return hangs && id === "B1" ? late : undefined;
  });
  const run = { ...calls, isForced: false };
  const wait = async (lease: ProcedureLease): Promise<void> => {
    hangs = true;
    const before = callCounts.get("B2")!;
    while (callCounts.get("B2")! < before + 3) await lease.rest(1);
    go();
  };
  assert.is(await rejectionCode(ProcedureLease.during(run, "a run", wait, 0.01)), "done");
});

test("a lease is renewed while others are taken", async () => {
  const instances = begin(SETTLED);
  let callCount = 0;
  let renewed = (): void => {};
  const isRenewed = new Promise<void>((resolve) => {
    renewed = resolve;
  });
  const calls = listCalls(instances, (id) => {
    if (id === "B1" && ++callCount === 3) renewed();
    return id === "B2" ? isRenewed : undefined;
  });
  const run = { ...calls, isForced: false };
  assert.is(await rejectionCode(ProcedureLease.during(run, "a run", async () => {}, 0.01)), "done");
});

test("a lease is released after its last renewal", async () => {
  const instances = begin(SETTLED);
  let acts = false;
  let go = (): void => {};
  const late = new Promise<void>((resolve) => {
    go = resolve;
  });
  let hung = (): void => {};
  const isHung = new Promise<void>((resolve) => {
    hung = resolve;
  });
  const calls = listCalls(instances, async (id) => {
    if (!acts || id !== "B2") return;
    hung();
    await late;
    // The instance restarts while the renewal is under way, and remembers nothing.
    instances[1].lease = new Lease(() => {});
  });
  const act = async (): Promise<void> => {
    acts = true;
    await isHung;
    acts = false;
    setTimeout(go);
  };
  const run = { ...calls, isForced: false };
  let holder = "";
  const during = ProcedureLease.during(
    run,
    "a run",
    (lease) => {
      holder = lease.holder;
      return act();
    },
    0.01,
  );
  assert.is(await rejectionCode(during), "done");
  await late;
  await new Promise((resolve) => setImmediate(resolve));
  assert.not(instances[1].lease.isHeldBy(holder));
});

function settle(calls: InstanceCalls): Promise<string> {
  const run = { ...calls, isForced: false };
  return rejectionCode(
    ProcedureLease.during(
      run,
      "a run",
      (lease) => new SlotSteps(calls, lease, 0).settle(),
      chooseLeaseSeconds(calls.system),
    ),
  );
}

test("a run ends if a group has no leader for long", async () => {
  const instances = begin(HELD);
  instances[1].leads = false;
  assert.is(await settle(listCalls(instances)), "SVC3412");
  // Requests wait for a run that was killed, so that its lease is short.
  assert.equal([...instances[0].seconds], ["4"]);
});

test("requests continue before the source forgets the move", async () => {
  const [source, target, dispatcher] = begin(SETTLED);
  const calls = listCalls([source, target, dispatcher]);
  const act = async (lease: ProcedureLease): Promise<void> => {
    const steps = new SlotSteps(calls, lease, 0);
    const hold = async (instance: Instance) => {
      instance.record = changeSlots(instance.record, instance.id, { do: "hold", move: MOVE });
      steps.survey.update(instance.id, { record: instance.record });
    };
    const record = await steps.attempt(MOVE, {
      copy: () => hold(source),
      apply: () => hold(target),
    });
    assert.is(record.version, 1);
    assert.equal([source.done, target.done], [["give", "clear-out"], ["take"]]);
    await steps.finish();
    assert.equal(source.done.slice(2), ["remove", "clear"]);
    assert.is(source.record.move, null);
  };
  const run = { ...calls, isForced: false };
  assert.is(await rejectionCode(ProcedureLease.during(run, "a run", act)), "done");
});

test("a run waits until replicas have what their leader had", async () => {
  const topology = { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["B1"] }] } };
  const system = readDescriptor({
    ...{ name: "Replicated", graphs: ["things"], slots: { graphs: ["things"], count: 16 } },
    instances: {
      TD: { type: "dispatch", hport: 9990 },
      B1: { ...ENGINE, hport: 9100, tport: 9102 },
      S1: { type: "search", hport: 9200, tport: 9202 },
    },
    topology,
  });
  const [leader, replica] = [new Instance("B1", SETTLED), new Instance("S1", SETTLED)];
  replica.leads = false;
  const participants = [leader, replica, new Instance("TD", SETTLED)];
  let looks = 0;
  const awaited: unknown[] = [];
  const calls = {
    ...listCalls(participants, (id, kind) => void (id === "B1" && kind === "look" && looks++)),
    system,
  };
  const { call } = calls;
  calls.call = async (id, operation, parameters, body) => {
    const { do: kind, digests } = JSON.parse(body ?? "{}");
    if (kind !== "await") return call(id, operation, parameters, body);
    awaited.push([id, digests]);
    return { isReached: awaited.length > 1 };
  };
  const act = async (lease: ProcedureLease): Promise<void> => {
    const { survey } = new SlotSteps(calls, lease, 0);
    await survey.readAll();
    // The leader has answered a command since.
    survey.update("B1", { digests: { things: "7 abc" } });
    await survey.waitUntilReplicated("B1");
  };
  const run = { ...calls, isForced: false };
  assert.is(await rejectionCode(ProcedureLease.during(run, "a run", act)), "done");
  assert.equal(awaited, [
    ["S1", { things: "7 abc" }],
    // Another one may lead since: it is looked at.
    ["S1", {}],
  ]);
  assert.is(looks, 2);
});

test("a run that lost a lease reads the states again before it acts", async () => {
  const [source, target, dispatcher] = begin(HELD);
  let isLost = false;
  const calls = listCalls([source, target, dispatcher], (_id, kind) => {
    if (kind !== "remove" || isLost) return;
    isLost = true;
    // Another run holds the slots in the source, too, and is killed.
    source.record = HELD;
    target.lease = new Lease(() => {});
  });
  assert.is(await settle(calls), "done");
  assert.equal([source.done, target.done], [["abort"], ["remove", "abort"]]);
});

test("a run ignores states of instances whose lease it does not hold", async () => {
  const [source, target, dispatcher] = begin(HELD);
  let looks = 0;
  const calls = listCalls([source, target, dispatcher], (id, kind) => {
    const isLook = id === "B1" && kind === "look";
    if (isLook && ++looks === 1) source.lease = new Lease(() => {});
    // Another run acts there after the look.
    if (looks === 1 && kind !== "look") source.record = HELD;
  });
  assert.is(await settle(calls), "done");
  assert.equal([source.done, target.done], [["abort"], ["remove", "abort"]]);
});

test.run();
