// The event processor against a model: exactly the expired contents are removed, despite changes,
// locks, suspension, readonly state, and save and load. ROUNDS=n runs more.
// limit: 60 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Session } from "../../runtime/graph/changes/sessions/session.js";
import { EventProcessor } from "../../runtime/graph/manager/event-processor.js";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/manager/snapshot/save-graph.js";
import { T_NEVER } from "../../runtime/graph/model/constants.js";
import { setEventsEnabled } from "../../runtime/graph/store/event-switches.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { FakeClock } from "./support/fake-clock.js";
import { randomChange } from "./support/graph-change.js";
import { GraphModel } from "./support/graph-model.js";
import {
  makeChange,
  openForChanges,
  plainModel,
  plainStore,
  runChange,
} from "./support/make-change.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(2);
const LOOKS = 60;
const CHANGES_PER_LOOK = 20;
const NAME = "expiring";
const IDS = Array.from({ length: 40 }, (_, index) => `v${index}`);

const test = suite<{ clock: FakeClock; folder: string }>("graph expiry");

test.before.each((context) => {
  context.clock = new FakeClock().start();
  context.folder = mkdtempSync(join(tmpdir(), "svc-expiry-"));
});

test.after.each(({ clock, folder }) => {
  clock.stop();
  rmSync(folder, { recursive: true });
});

/** A graph, its processor, and its expected contents. */
class Expiring {
  readonly model = new GraphModel();
  readonly #clock: FakeClock;
  #store = GraphStore.create(NAME, TEST_THREAD);
  #events = new EventProcessor({ store: this.#store, session: new Session(this.#store) });

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  get store(): GraphStore {
    return this.#store;
  }

  change(random: Random): void {
    const changed = openForChanges(this.#store, this.#clock);
    for (let created = 0; created < CHANGES_PER_LOOK; created++) {
      const change = randomChange(random, IDS);
      const expected = runChange(() => this.model.make(change, this.#clock.second));
      assert.equal(
        runChange(() => makeChange(changed, change)),
        expected,
      );
    }
  }

  /** Runs the processor until nothing is due. */
  process(): number {
    let events = 0;
    for (let done = -1; done !== 0; events += done) done = this.#events.run(this.#clock.second);
    return events;
  }

  /** The same in the model. */
  expire(): void {
    for (const id of [...this.model.vertices.keys()]) {
      this.model.make({ kind: "expire", id }, this.#clock.second);
    }
  }

  reload(folder: string): void {
    saveGraph(this.#store, folder);
    const loaded = loadGraph(NAME, folder, TEST_THREAD);
    assert.ok(loaded);
    this.#store = loaded;
    this.#events = new EventProcessor({ store: loaded, session: new Session(loaded) });
  }

  check(): void {
    checkStore(this.#store);
    assert.equal(plainStore(this.#store, ""), plainModel(this.model));
  }
}

/** Delays events in some way, and undoes that. */
function hinder(expiring: Expiring, random: Random, clock: FakeClock): void {
  const { store } = expiring;
  const graph = openStore(store);
  switch (random.below(3)) {
    case 0:
      setEventsEnabled(store, false);
      assert.is(expiring.process(), 0);
      expiring.check();
      setEventsEnabled(store, true);
      return;
    case 1:
      graph.setGraphReadonly();
      assert.is(expiring.process(), 0);
      expiring.check();
      graph.clearGraphReadonly();
      return;
    default: {
      const ids = graph.vertices({ condition: { virtual: false } });
      const held = random.list(Math.min(3, ids.length), () => random.of(ids));
      const before = plainStore(store, "");
      const out = held.map((id) => graph.openVertex(id, "a"));
      expiring.process();
      for (const vertex of out) vertex.close();
      const after = plainStore(store, "");
      for (const id of held) assert.equal(after[id], before[id], `${id} was held`);
      // Locked vertices are retried after a second.
      clock.second++;
    }
  }
}

test(`removes exactly the expired contents (seed ${SEED})`, ({ clock, folder }) => {
  const random = new Random();
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const expiring = new Expiring(clock);
    for (let look = 0; look < LOOKS; look++) {
      expiring.change(random);
      if (random.below(5) === 0) hinder(expiring, random, clock);
      if (random.below(5) === 0) expiring.reload(folder);
      events += expiring.process();
      expiring.expire();
      expiring.check();
      assert.ok(expiring.store.expiry.next > clock.second);
    }
    clock.second = T_NEVER - 1;
    events += expiring.process();
    expiring.expire();
    expiring.check();
    assert.is(expiring.store.expiry.count, 0, "the rest never expires");
    clock.second = new FakeClock().second;
  }
  assert.ok(events > (ROUNDS * LOOKS) / 4, `${events} events`);
});

test.run();
