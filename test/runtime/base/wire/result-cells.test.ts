// Views of two threads on results in shared memory.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cellBytes, ResultCells } from "../../../../runtime/base/wire/result-cells.js";

const test = suite("result cells");

function twoViews(): [ResultCells, ResultCells] {
  const buffer = new SharedArrayBuffer(8 + cellBytes(3));
  return [new ResultCells(buffer, 8, 3), new ResultCells(buffer, 8, 3)];
}

/** Stores the result of the slot's latest request. */
function keep(
  cells: ResultCells,
  slot: number,
  serial: number,
  ...result: [status: number, kind: number, payload: string | Uint8Array, flush?: number]
): boolean {
  cells.open(slot, serial);
  return cells.keep(slot, serial, ...result);
}

test("returns a result only for the serial number of its request", () => {
  const [writer, reader] = twoViews();
  const serial = 1_795_255_784_973_951;
  assert.is(reader.read(1, serial), null);
  assert.ok(keep(writer, 1, serial, 200, 2, "caf\xe9", 4_000_000_000));
  const expected = { status: 200, kind: 2, payload: "caf\xe9", flush: 4_000_000_000 };
  assert.equal(reader.read(1, serial), expected);
  assert.is(reader.read(1, serial + 1), null);
  assert.is(reader.read(0, serial), null);
  assert.is(reader.read(2, serial), null);
});

test("replaces an earlier result by a later one", () => {
  const [writer, reader] = twoViews();
  keep(writer, 0, 7, 200, 0, "first, and longer");
  keep(writer, 0, 8, 500, 1, "next");
  assert.is(reader.read(0, 7), null);
  assert.equal(reader.read(0, 8), { status: 500, kind: 1, payload: "next", flush: 0 });
});

test("writes a result to its own cell, never to the neighbors", () => {
  const [writer, reader] = twoViews();
  for (const slot of [0, 2]) keep(writer, slot, 5, 200, 0, "neighbour");
  const largest = "x".repeat(4072);
  assert.ok(keep(writer, 1, 6, 200, 0, largest));
  assert.ok(reader.read(1, 6)?.payload === largest);
  assert.not.ok(keep(writer, 1, 7, 200, 0, `${largest}x`));
  assert.is(reader.read(1, 7), null);
  assert.not.ok(keep(writer, 1, 8, 200, 3, new Uint8Array(1)));
  for (const slot of [0, 2]) assert.is(reader.read(slot, 5)?.payload, "neighbour");
});

test("handles serial numbers whose low bits are zero", () => {
  const [writer, reader] = twoViews();
  assert.is(reader.read(0, 2 ** 40), null);
  keep(writer, 0, 2 ** 40, 200, 0, "kept");
  assert.is(reader.read(0, 2 ** 40)?.payload, "kept");
});

test("does not overwrite the result of the slot's current request", () => {
  const [late, writer] = twoViews();
  late.open(0, 7);
  assert.ok(keep(writer, 0, 8, 200, 0, "mine"));
  assert.not.ok(late.keep(0, 7, 200, 0, "late"));
  assert.is(writer.read(0, 8)?.payload, "mine");
});

test.run();
