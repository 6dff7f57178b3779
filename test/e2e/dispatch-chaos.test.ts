// Load on 3 x 2 back-ends that are killed, hung, disconnected and put Service-OUT at random: all
// responses are correct, nothing is written twice, only unavoidable failures occur, all back-ends
// recover, and no socket leaks. CHAOS_SECONDS=60 runs longer.
// limit: 120 s
// takes 15 s

import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Random, SEED } from "../property/support/random.js";
import { rounds } from "../support/rounds.js";
import { type MatrixPlace, matrix, type TestMatrix } from "./support/matrix.js";
import { type DecodedResponse, get, strangeLines } from "./support/server.js";

const test = suite("dispatch chaos");
/** Requested by a developer, with a machine of its own. */
const IS_STRICT = process.env.CHAOS_SECONDS !== undefined;
const SECONDS = Number(process.env.CHAOS_SECONDS ?? rounds(10));
const CLIENTS = 8;
/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 20;
const TIMEOUT_MS = 500;
const ROWS = 3;
const COLUMNS = 2;
/** It takes less than 2 s on an idle machine; otherwise slow replicas are ejected for long. */
const RECOVERY_MS = IS_STRICT ? 2000 : 40_000;
const TIMED_OUT = new RegExp(
  `^<partial: \\d width: 2> \\| 503 \\| timeout after ${TIMEOUT_MS} ms$`,
);
/** The connection was lost before a response, so that execution is unknown. */
const LOST = /^<partial: \d width: 2> \| 503 \| (connection closed|read |write )/;

let system: TestMatrix;

test.before(async () => {
  const replicas = new Array(ROWS).fill({ channels: 16 });
  system = await matrix(ROWS, COLUMNS, { replicas, options: { timeout: TIMEOUT_MS } });
});

test.after(() => system.stop());

function request(path: string, init: RequestInit = {}): Promise<DecodedResponse> {
  return get(system.dispatcher.port, `/svc/plugin/${path}`, init);
}

/** Outcomes seen by clients. */
class Tally {
  readonly counts: Record<string, number> = {};
  readonly mismatches: string[] = [];
  readonly written: string[] = [];

  /** Counts tolerated failures of a read or a write, and records all others. */
  failure(kind: string, { text, json }: DecodedResponse): void {
    const message = String(json.message);
    if (TIMED_OUT.test(message)) this.count(`${kind} timed out`);
    else if (kind === "write" && LOST.test(message)) this.count("write lost");
    // On a slow machine even the healthy replica may be too late.
    else if (!IS_STRICT && message === "Partition(s) down") this.count(`${kind} had no place`);
    else this.mismatches.push(`${kind}: ${text}`);
  }

  count(outcome: string): void {
    this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
  }
}

/** Sends requests one after the other until it is stopped. */
async function client(name: string, random: Random, tally: Tally, signal: AbortSignal) {
  for (let number = 0; !signal.aborted; number++) {
    const id = `${name}-${number}`;
    if (random.below(3) === 0) await write(id, tally);
    else await read(id, tally);
    await delay(PAUSE_MS);
  }
}

async function read(id: string, tally: Tally): Promise<void> {
  const response = await request(`params?id=${id}`);
  if (response.status === 200) {
    // Each engine returns its arguments.
    const { entries } = response.json.response as { entries: unknown };
    const expected = Array.from({ length: COLUMNS }, (_, partition) => [partition, { id }]);
    if (JSON.stringify(entries) !== JSON.stringify(expected)) tally.mismatches.push(response.text);
    tally.count("read");
  } else tally.failure("read", response);
}

async function write(id: string, tally: Tally): Promise<void> {
  const response = await request(`write?id=${id}`, { method: "POST", body: id });
  if (response.status === 200) {
    tally.written.push(id);
    tally.count("written");
  } else tally.failure("write", response);
}

const FAULTS: Record<string, (backEnd: MatrixPlace, random: Random) => Promise<void>> = {
  async kill(backEnd) {
    await backEnd.kill();
    await backEnd.restart();
  },
  async hang({ engine }, random) {
    engine.hang();
    await delay(100 + random.below(900));
    engine.resume();
  },
  async out({ engine }, random) {
    await engine.serviceIn(false);
    await delay(100 + random.below(500));
    await engine.serviceIn(true);
  },
  async refuse({ proxy }, random) {
    proxy.fault = "refuse";
    proxy.cut();
    await delay(100 + random.below(500));
    proxy.fault = "none";
  },
  async reset({ proxy }, random) {
    proxy.fault = "reset";
    await delay(50 + random.below(100));
    proxy.fault = "none";
  },
};

/**
 * Injects faults into one back-end of a partition after the other, except for one healthy replica.
 */
async function spoil(partition: number, random: Random, signal: AbortSignal, counts: Tally) {
  const well = random.below(ROWS);
  while (!signal.aborted) {
    const replica = random.below(ROWS);
    if (replica === well) continue;
    const name = random.of(Object.keys(FAULTS));
    counts.count(name);
    await FAULTS[name]!(system.place(partition, replica), random);
    await delay(random.below(200));
  }
}

/** Resolves once every back-end has responded. */
async function recovered(): Promise<void> {
  const deadline = performance.now() + RECOVERY_MS;
  for (let row = 0; row < ROWS; row++) {
    for (;;) {
      const { json, text } = await request(`affine?n=${row}`);
      const { entries = [] } = (json.response ?? {}) as {
        entries?: [number, { replica: number }][];
      };
      if (entries.filter(([, { replica }]) => replica === row).length === COLUMNS) break;
      if (performance.now() > deadline) throw new Error(`row ${row} does not come back: ${text}`);
      await delay(10);
    }
  }
}

/** Open sockets of the dispatcher; the number of those without a back-end is constant. */
function sockets(): number {
  const folder = `/proc/${system.dispatcher.pid}/fd`;
  const links = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return "";
    }
  });
  return links.filter((link) => link.startsWith("socket:")).length;
}

function channels(): number {
  return system.places.flat().reduce((sum, { proxy }) => sum + proxy.open, 0);
}

async function unusedSockets(): Promise<number> {
  // Connections being closed count as neither.
  for (let last = -1; ; ) {
    await delay(100);
    const unused = sockets() - channels();
    if (unused === last) return unused;
    last = unused;
  }
}

test(`serves under load while back-ends fail (SEED=${SEED})`, async () => {
  await recovered();
  const before = process.platform === "linux" ? await unusedSockets() : 0;
  const [tally, faults] = [new Tally(), new Tally()];
  const [noLoad, noFaults] = [new AbortController(), new AbortController()];
  const random = new Random();
  const fork = (): Random => new Random(random.below(2 ** 31));
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    return client(`c${index}`, fork(), tally, noLoad.signal);
  });
  const spoiling = Array.from({ length: COLUMNS }, (_, partition) => {
    return spoil(partition, fork(), noFaults.signal, faults);
  });
  await delay(SECONDS * 1000);
  noFaults.abort();
  await Promise.all(spoiling);
  await recovered();
  noLoad.abort();
  await Promise.all(clients);
  const summary = JSON.stringify({ ...tally.counts, faults: faults.counts });
  if (IS_STRICT) console.log(summary);
  assert.equal(tally.mismatches, [], summary);

  const executed = system.written();
  assert.is(new Set(executed).size, executed.length, "executed twice");
  const lost = tally.written.flatMap((id) => {
    return [0, 1].map((partition) => `${id} ${partition}`);
  });
  const executedIds = new Set(executed);
  assert.equal(
    lost.filter((line) => !executedIds.has(line)),
    [],
  );
  assert.ok(tally.counts.read! > 0 && tally.counts.written! > 0, summary);

  const calm = new Tally();
  for (let number = 0; number < 100; number++) {
    await read(`calm-${number}`, calm);
    await write(`calm-${number}`, calm);
  }
  assert.equal([calm.mismatches, calm.counts], [[], { read: 100, written: 100 }]);
  if (process.platform === "linux") assert.ok((await unusedSockets()) <= before);
  assert.is(strangeLines(system.dispatcher.log), "");
});

test.run();
