// The line in which clients take turns, by itself and against a naive model.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FairLine } from "../../../runtime/engine/fair-line.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { Random, SEED } from "../../property/support/random.js";

const test = suite("line in which clients take turns");

function call(remoteAddress: string, serial: number): PluginCall {
  return { serial, exchange: { connection: { remoteAddress } } } as PluginCall;
}

function drain(line: FairLine): number[] {
  const serials: number[] = [];
  while (line.size > 0) serials.push(line.shift()!.serial);
  return serials;
}

test("one client's requests stay in order, others come in between", () => {
  const line = new FairLine();
  for (let serial = 0; serial < 4; serial++) line.push(call("10.0.0.1", serial));
  line.push(call("10.0.0.2", 10));
  line.push(call("10.0.0.2", 11));
  line.push(call("10.0.0.3", 20));
  assert.is(line.peek()!.serial, 0);
  assert.equal(drain(line), [0, 10, 20, 1, 11, 2, 3]);
  assert.is(line.peek(), undefined);
  assert.is(line.shift(), undefined);
});

test("addresses of one IPv6 network are one client", () => {
  const line = new FairLine();
  for (let host = 1; host <= 3; host++) line.push(call(`2001:db8:0:1::${host}`, host));
  line.push(call("2001:db8:0:2::1", 9));
  assert.equal(drain(line), [1, 9, 2, 3]);
});

test("a request that comes back goes before all", () => {
  const line = new FairLine();
  line.push(call("10.0.0.1", 1));
  line.unshift(call("10.0.0.2", 2));
  line.unshift(call("10.0.0.2", 3));
  assert.equal(drain(line), [3, 2, 1]);
});

test("it serves as a list of lists does, whatever happens", () => {
  const random = new Random();
  const line = new FairLine();
  let model: PluginCall[][] = [];
  for (let step = 0; step < 3000; step++) {
    const doing = random.below(10);
    if (doing < 5) {
      const one = call(`10.0.0.${random.below(6)}`, step);
      line.push(one);
      const mine = model.find(([first]) => isOfSame(first!, one));
      if (mine === undefined) model.push([one]);
      else mine.push(one);
    } else if (doing < 9) {
      const [turn, ...others] = model;
      assert.is(line.shift(), turn?.shift(), `step ${step}, seed ${SEED}`);
      model = turn === undefined || turn.length === 0 ? others : [...others, turn];
    } else {
      const isOver = ({ serial }: PluginCall): boolean => serial % 3 === step % 3;
      const expected = model.flat().filter(isOver);
      assert.equal(line.remove(isOver), expected, `step ${step}, seed ${SEED}`);
      model = model.map((turn) => turn.filter((one) => !isOver(one)));
      model = model.filter((turn) => turn.length > 0);
    }
    assert.is(line.size, model.flat().length);
    assert.is(line.items().length, line.size);
  }
});

function isOfSame({ exchange: one }: PluginCall, { exchange: other }: PluginCall): boolean {
  return one.connection.remoteAddress === other.connection.remoteAddress;
}

test.run();
