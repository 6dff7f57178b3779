// A group that chooses its leader, in one process and virtual time, under random faults: crashes,
// lost power and disks, pauses, cut connections, clocks of different speed, an unavailable engine.
// Checks that no acknowledged change is ever lost.

import * as assert from "uvu/assert";
import { Random } from "../random.js";
import { SimulatedEngine } from "./simulated-engine.js";
import { type Entry, SimulatedNode, type World } from "./simulated-node.js";
import { VirtualTime } from "./virtual-time.js";

const FAULTS_MS = 40_000;
const CALM_MS = 40_000;

export interface Outcome {
  readonly acknowledged: number;
  readonly takeovers: number;
  /** All members that could lead have lost their disks. */
  readonly isStuck: boolean;
}

/** Runs one seed. @throws AssertionError if an acknowledged change was lost */
export function simulateGroup(seed: number): Outcome {
  return new Simulation(seed).run();
}

class Simulation {
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #engine: SimulatedEngine;
  readonly #nodes: SimulatedNode[] = [];
  readonly #cut = new Set<string>();
  readonly #acknowledged = new Set<Entry>();
  /** Node that acknowledged changes, by epoch. */
  readonly #leaders = new Map<number, string>();
  #takeovers = 0;
  #changes = 0;
  #isOver = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
    // Similar seeds begin alike.
    for (let n = 0; n < 10; n++) this.#random.below(2);
    this.#engine = new SimulatedEngine(this.#time, this.#random);
    const count = 2 + this.#random.below(3);
    const settings = {
      ttlMs: 2000,
      minSynced: count > 2 ? this.#random.below(3) : 1,
      whenAlone: this.#random.of(["refuse", "go-on"] as const),
      first: "B1",
    };
    const world: World = {
      ...{ time: this.#time, random: this.#random, engine: this.#engine, settings },
      nodes: this.#nodes,
      isCut: (first, second) => this.#cut.has(linkKey(first, second)),
      onLead: (node) => this.#onLead(node),
      onAcknowledged: (node, entry) => this.#onAcknowledged(node, entry),
      onAppend: (node, epoch) => {
        assert.ok(
          node.epoch <= epoch,
          `${node.id} of epoch ${node.epoch} appended changes of ${epoch}`,
        );
      },
    };
    for (let n = 0; n < count; n++) this.#nodes.push(new SimulatedNode(`B${n + 1}`, world));
  }

  run(): Outcome {
    for (const node of this.#nodes) node.start();
    this.#sendChanges();
    this.#injectFaults();
    this.#time.runUntil(FAULTS_MS);
    this.#isOver = true;
    this.#cut.clear();
    this.#engine.isAway = false;
    this.#engine.isCalm = true;
    this.#engine.unreachableFor.clear();
    for (const node of this.#nodes) if (!node.isUp) node.start();
    this.#time.runUntil(FAULTS_MS + CALM_MS);
    return this.#end();
  }

  #end(): Outcome {
    const acknowledged = this.#acknowledged.size;
    const { record } = this.#engine;
    const isAlive = record?.synced.some(([id, incarnation]) =>
      this.#nodes.some((node) => node.id === id && node.incarnation === incarnation),
    );
    const outcome = { acknowledged, takeovers: this.#takeovers };
    if (record !== null && !isAlive) return { ...outcome, isStuck: true };
    const leaders = this.#nodes.filter((node) => node.isLeading);
    assert.is(leaders.length, 1, "one leader after the last fault");
    for (const { log, id } of this.#nodes) assert.equal(log, leaders[0]!.log, id);
    this.#assertHasAll(leaders[0]!);
    return { ...outcome, isStuck: false };
  }

  #onLead(node: SimulatedNode): void {
    this.#takeovers++;
    this.#assertHasAll(node);
  }

  #assertHasAll({ id, log, ledEpoch }: SimulatedNode): void {
    const entries = new Set(log);
    assert.is(entries.size, log.length, `${id} has a change twice`);
    for (const entry of this.#acknowledged) {
      // A late response of the engine can begin an epoch that is already over.
      if (Number(entry.split("@")[1]) > ledEpoch) continue;
      assert.ok(entries.has(entry), `${id} leads epoch ${ledEpoch} without ${entry}`);
    }
  }

  #onAcknowledged({ id, ledEpoch }: SimulatedNode, entry: Entry): void {
    const leader = this.#leaders.get(ledEpoch) ?? id;
    assert.is(leader, id, `two leaders of epoch ${ledEpoch}`);
    this.#leaders.set(ledEpoch, id);
    this.#acknowledged.add(entry);
    // A leader of a later epoch must already have it.
    for (const node of this.#nodes) {
      if (!node.isLeading || node.ledEpoch <= ledEpoch) continue;
      assert.ok(node.log.includes(entry), `${node.id} leads without ${entry}`);
    }
  }

  #sendChanges(): void {
    if (this.#isOver) return;
    this.#random.of(this.#nodes).submitChange(`c${this.#changes++}`);
    this.#time.after(5 + this.#random.below(60), () => this.#sendChanges());
  }

  #injectFaults(): void {
    if (this.#isOver) return;
    this.#injectFault();
    this.#time.after(this.#random.below(4000), () => this.#injectFaults());
  }

  #injectFault(): void {
    const node = this.#random.of(this.#nodes);
    const ms = this.#random.below(this.#random.of([500, 5000, 10_000]));
    switch (this.#random.below(9)) {
      case 0:
      case 1:
        return this.#crash(node, this.#random.of(["process", "power"] as const), ms);
      case 2:
        // Rare: a small group would soon lose all disks.
        return this.#random.below(4) === 0 ? this.#crash(node, "disk", ms) : undefined;
      case 3:
      case 4:
        return node.pause(ms);
      case 5:
        return this.#addFor(this.#engine.unreachableFor, node.id, ms);
      case 6:
        return this.#isolate(node, ms);
      case 7:
        return this.#addFor(this.#cut, linkKey(node.id, this.#random.of(this.#nodes).id), ms);
      default:
        this.#engine.isAway = true;
        this.#time.after(ms, () => {
          this.#engine.isAway = false;
        });
    }
  }

  #crash(node: SimulatedNode, loss: "process" | "power" | "disk", ms: number): void {
    node.crash(loss);
    this.#time.after(ms, () => {
      if (!node.isUp) node.start();
    });
  }

  /** Cuts a node from all others, and perhaps from the engine. */
  #isolate(node: SimulatedNode, ms: number): void {
    for (const peer of this.#nodes) this.#addFor(this.#cut, linkKey(node.id, peer.id), ms);
    if (this.#random.below(2) === 0) this.#addFor(this.#engine.unreachableFor, node.id, ms);
  }

  #addFor(set: Set<string>, item: string, ms: number): void {
    set.add(item);
    this.#time.after(ms, () => set.delete(item));
  }
}

function linkKey(first: string, second: string): string {
  return [first, second].sort().join(" ");
}
