// Choice of a replica, rule by rule (http-interface, "Dispatch cost rules").

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BackEnd } from "../../../runtime/dispatch/back-end.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";

const test = suite("matrix");
const ANY = { isPrimary: false, affinity: -1 };
const PRIMARY = { isPrimary: true, affinity: -1 };

/** A matrix whose back-ends are all healthy. */
function makeMatrix(width: number, ...replicas: readonly object[]): Matrix {
  const addresses = replicas.map(() => ({ host: "127.0.0.1", port: 1 }));
  const partitions = new Array(width).fill(addresses);
  const matrix = new Matrix(readMatrixConfig({ partitions, replicas }));
  for (const backEnd of matrix.all()) backEnd.markUp();
  return matrix;
}

/** Row that is chosen in a partition, or the reason for none. */
function row(matrix: Matrix, preference = ANY, tried: BackEnd[] = [], partition = 0) {
  const choice = matrix.choose(partition, preference, tried, false);
  return typeof choice === "string" ? choice : choice.position.replica;
}

/** Rows of consecutive requests that never complete. */
function fill(matrix: Matrix, count: number): (number | string)[] {
  return Array.from({ length: count }, () => {
    const chosen = row(matrix);
    if (typeof chosen === "number") matrix.backEnds[0]![chosen]!.takeChannel();
    return chosen;
  });
}

test("chooses the lowest cost, then the lowest row", () => {
  assert.equal(fill(makeMatrix(1, {}, {}, {}), 7), [0, 1, 2, 0, 1, 2, 0]);
});

test("sends fewer requests to a higher priority number", () => {
  const rows = [{ priority: 1 }, { priority: 3, channels: 2 }];
  // Costs: 0/0, 1/0, 1/3, 2/3, 3/3, 4/3, 4/6.
  assert.equal(fill(makeMatrix(1, ...rows), 7), [0, 1, 0, 0, 0, 1, 0]);
});

test("uses all channels of a row of priority 0 first", () => {
  const rows = [{ channels: 2 }, { priority: 0, channels: 3 }];
  assert.equal(fill(makeMatrix(1, ...rows), 6), [0, 1, 1, 1, 0, "busy"]);
});

test("tracks the cost per back-end, not per row", () => {
  const matrix = makeMatrix(2, {}, {});
  matrix.backEnds[0]![0]!.takeChannel();
  assert.is(row(matrix, ANY, [], 0), 1);
  assert.is(row(matrix, ANY, [], 1), 0);
});

test("skips back-ends that are down, penalized, tried or without a free channel", () => {
  const matrix = makeMatrix(1, { channels: 1 }, { channels: 1 }, { channels: 1 });
  const [first, second, third] = matrix.backEnds[0]!;
  first!.markDown("a test says so");
  assert.is(row(matrix), 1);
  second!.penalize();
  assert.is(row(matrix), 2);
  third!.takeChannel();
  assert.is(row(matrix), 1);
  assert.is(row(matrix, ANY, [second!]), "busy");
  assert.is(row(matrix, ANY, [second!, third!]), "down");
  second!.takeChannel();
  assert.is(row(matrix), "busy");
  second!.markDown("a test says so");
  third!.markDown("a test says so");
  assert.is(row(matrix), "down");
});

test("maps affinity to the row modulo the height, whatever its cost", () => {
  const matrix = makeMatrix(1, {}, { priority: 127, channels: 1 }, {});
  for (const affinity of [1, 4, 127 * 3 + 1]) {
    assert.is(row(matrix, { isPrimary: false, affinity }), 1);
  }
  assert.is(row(matrix, { isPrimary: false, affinity: 0 }), 0);
});

test("falls back to the cost rules without the preferred row", () => {
  const matrix = makeMatrix(1, {}, { channels: 1 }, { priority: 1 });
  const preference = { isPrimary: false, affinity: 1 };
  const preferred = matrix.backEnds[0]![1]!;
  preferred.takeChannel();
  assert.is(row(matrix, preference), 0);
  matrix.backEnds[0]![0]!.takeChannel();
  assert.is(row(matrix, preference), 2);
  preferred.markDown("a test says so");
  assert.is(row(matrix, preference), 2);
});

test("does not require the preferred row for a retry", () => {
  const matrix = makeMatrix(1, {}, {}, {});
  const preference = { isPrimary: false, affinity: 2 };
  assert.is(row(matrix, preference, [matrix.backEnds[0]![0]!]), 1);
});

test("keeps primary requests in the primary row", () => {
  const matrix = makeMatrix(1, {}, { primary: 1, channels: 1, priority: 99 }, {});
  const primary = matrix.backEnds[0]![1]!;
  assert.is(row(matrix, PRIMARY), 1);
  assert.is(row(matrix, { isPrimary: true, affinity: 0 }), 1);
  primary.takeChannel();
  assert.is(row(matrix, PRIMARY), "busy");
  assert.is(row(matrix, PRIMARY, [primary]), "down");
  primary.markDown("a test says so");
  assert.is(row(matrix, PRIMARY), "down");
});

test("has positions and channel counts", () => {
  const matrix = makeMatrix(3, { channels: 4 }, { channels: 5, primary: 1 });
  assert.equal([matrix.width, matrix.height], [3, 2]);
  assert.equal([matrix.totalChannels, matrix.openChannels], [27, 0]);
  assert.equal(matrix.backEnds[2]![1]!.position, {
    partition: 2,
    replica: 1,
    width: 3,
    height: 2,
    isPrimary: true,
  });
  assert.is([...matrix.all()].length, 6);
});

test.run();
