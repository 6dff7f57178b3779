// The fair queue, alone and against a naive model.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FairQueue } from "../../../runtime/base/fair-queue.js";
import { Random, SEED } from "../../property/support/random.js";

const test = suite("fair queue");

interface Call {
  readonly client: string;
  readonly serial: number;
  turn: number;
}

function call(client: string, serial: number): Call {
  return { client, serial, turn: 0 };
}

function newLine(): FairQueue<Call> {
  return new FairQueue(({ client }) => client);
}

function drain(line: FairQueue<Call>): number[] {
  const serials: number[] = [];
  while (line.size > 0) serials.push(line.shift()!.serial);
  return serials;
}

test("keeps the order of each client's requests and interleaves clients", () => {
  const line = newLine();
  for (let serial = 0; serial < 4; serial++) line.push(call("10.0.0.1", serial), 0);
  line.push(call("10.0.0.2", 10), 0);
  line.push(call("10.0.0.2", 11), 0);
  line.push(call("10.0.0.3", 20), 0);
  assert.is(line.peek()!.serial, 0);
  assert.equal(drain(line), [0, 10, 20, 1, 11, 2, 3]);
  assert.is(line.peek(), undefined);
  assert.is(line.shift(), undefined);
});

test("puts a returned request before the others of its client only", () => {
  const line = newLine();
  for (let serial = 1; serial < 4; serial++) line.push(call("10.0.0.1", serial), 0);
  line.push(call("10.0.0.2", 10), 0);
  const served = line.shift()!;
  line.requeue(served);
  line.requeue(call("10.0.0.3", 20));
  assert.equal(drain(line), [10, 1, 20, 2, 3]);
});

test("finds the client with the most requests and drops its last one", () => {
  const line = newLine();
  assert.is(line.longest(), null);
  for (let serial = 1; serial < 4; serial++) line.push(call("10.0.0.1", serial), 0);
  line.push(call("10.0.0.2", 10), 0);
  assert.equal(line.longest(), { client: "10.0.0.1", size: 3 });
  assert.is(line.pop("10.0.0.1")!.serial, 3);
  assert.is(line.pop("10.0.0.2"), undefined);
  assert.equal([line.sizeOf("10.0.0.1"), line.sizeOf("10.0.0.9"), line.size], [2, 0, 3]);
  assert.is(line.eldest()!.serial, 1);
});

test("numbers turns per client, and starts new clients at the current turn", () => {
  const line = newLine();
  const calls = [call("a", 1), call("a", 2), call("b", 3)];
  for (const queued of calls) line.push(queued, 7);
  assert.equal(
    calls.map(({ turn }) => turn),
    [8, 9, 8],
  );
});

test("places an unshifted request first", () => {
  const line = newLine();
  line.push(call("10.0.0.1", 1), 0);
  line.unshift(call("10.0.0.2", 2));
  line.unshift(call("10.0.0.2", 3));
  assert.equal(drain(line), [3, 2, 1]);
});

test("behaves like a list of lists under random operations", () => {
  const random = new Random();
  const line = newLine();
  let model: Call[][] = [];
  for (let step = 0; step < 3000; step++) {
    const doing = random.below(10);
    if (doing < 5) {
      const added = call(`10.0.0.${random.below(6)}`, step);
      line.push(added, 0);
      const ownQueue = model.find(([first]) => isOfSame(first!, added));
      if (ownQueue === undefined) model.push([added]);
      else ownQueue.push(added);
    } else if (doing < 9) {
      const [turn, ...others] = model;
      assert.is(line.shift(), turn?.shift(), `step ${step}, seed ${SEED}`);
      model = turn === undefined || turn.length === 0 ? others : [...others, turn];
    } else {
      const isOver = ({ serial }: Call): boolean => serial % 3 === step % 3;
      const expected = model.flat().filter(isOver);
      assert.equal(line.remove(isOver), expected, `step ${step}, seed ${SEED}`);
      model = model.map((turn) => turn.filter((queued) => !isOver(queued)));
      model = model.filter((turn) => turn.length > 0);
    }
    assert.is(line.size, model.flat().length);
    assert.is(line.items().length, line.size);
  }
});

function isOfSame({ client: left }: Call, { client: right }: Call): boolean {
  return left === right;
}

test.run();
