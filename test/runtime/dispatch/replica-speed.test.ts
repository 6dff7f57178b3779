// Estimated speed of back-ends, and the replica that a dispatcher chooses because of it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BackEnd } from "../../../runtime/dispatch/back-end.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { PluginMeans, ReplicaSpeed } from "../../../runtime/dispatch/replica-speed.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import { later } from "./support/later.js";

const test = suite("speed of replicas");
/** Responses after which the speed of a replica counts. */
const ENOUGH = 10;
const ANY = { isPrimary: false, affinity: -1 };

/** A partition of live replicas, of which some are slower by a factor. */
function partition(...factors: readonly number[]): { matrix: Matrix; replicas: BackEnd[] } {
  const addresses = factors.map((_, index) => ({ host: "127.0.0.1", port: index + 1 }));
  const rows = factors.map(() => ({ priority: 1 }));
  const matrix = new Matrix(readMatrixConfig({ partitions: [addresses], replicas: rows }));
  const replicas = [...matrix.all()];
  for (const [index, backEnd] of replicas.entries()) {
    backEnd.markUp();
    observe(backEnd.speed, factors[index]!, ENOUGH);
    backEnd.speed.requestSent(performance.now());
  }
  return { matrix, replicas };
}

function observe(speed: ReplicaSpeed, relative: number, count: number): void {
  for (let turn = 0; turn < count; turn++) speed.observe(relative);
}

/** Returns the rows of `count` choices, each of which takes a channel. */
function choices(matrix: Matrix, count: number, isRetryable = false): number[] {
  return Array.from({ length: count }, () => {
    const choice = matrix.choose(0, ANY, [], isRetryable);
    if (typeof choice === "string") throw new Error(choice);
    choice.takeChannel();
    return choice.position.replica;
  });
}

test("relates responses to the mean of their plugin", () => {
  const means = new PluginMeans();
  for (const [path, ms] of [
    ["/quick", 1],
    ["/slow", 100],
  ] as const) {
    assert.is(means.relate(path, ms), 1);
    for (let turn = 0; turn < 50; turn++) assert.is(means.relate(path, ms), 1);
    // A difference of less than a millisecond is noise.
    assert.is(means.relate(path, 3 * (ms + 1) - 1), 3);
  }
});

test("bounds the memory for plugin names that clients invent", () => {
  const means = new PluginMeans();
  for (let name = 0; name < 1000; name++) means.relate(`/${name}`, 1);
  means.relate("/one-more", 1);
  assert.is(means.relate("/one-more", 5), 1);
  assert.is(means.relate("/0", 5), 3);
});

test("rises by a tenth of a difference and falls by half of it", () => {
  const speed = new ReplicaSpeed();
  observe(speed, 1, ENOUGH);
  speed.observe(6);
  assert.is(speed.perRequest, 1.5);
  speed.observe(1);
  assert.is(speed.perRequest, 1.25);
});

test("ignores differences that may be noise, and unknown speeds", () => {
  const speed = new ReplicaSpeed();
  assert.equal([speed.factor(0), speed.factor(1)], [1, 1]);
  observe(speed, 1.9, ENOUGH);
  assert.is(speed.factor(1), 1);
  speed.forget();
  observe(speed, 5, ENOUGH - 1);
  assert.is(speed.factor(1), 1);
  speed.observe(5);
  assert.is(speed.factor(1), 5);
});

test("does not treat a replica as slow after one pause", () => {
  const speed = new ReplicaSpeed();
  observe(speed, 1, ENOUGH);
  speed.observe(1000);
  assert.is(speed.factor(1), 1);
  observe(speed, 1000, 5);
  assert.ok(speed.factor(1) > 10);
});

test("follows the rules of the interface while no replica is slow", () => {
  const { matrix } = partition(1, 1.9, 0.96);
  assert.equal(choices(matrix, 7), [0, 1, 2, 0, 1, 2, 0]);
});

test("sends requests to a slow replica only when they would take as long in the others", () => {
  const { matrix } = partition(1, 10);
  // A request in the slow one takes as long as one of ten in the other.
  assert.equal(choices(matrix, 12), [...new Array(10).fill(0), 1, 0].slice(0, 12));
});

test("sends a slow replica a retryable request now and then", () => {
  const { matrix } = partition(1, 20);
  const isTrial = (isRetryable: boolean): boolean => {
    const choice = matrix.choose(0, ANY, [], isRetryable);
    return typeof choice !== "string" && choice.position.replica === 1;
  };
  for (let turn = 0; turn < 100; turn++) assert.not(isTrial(true));
  later(100, () => assert.not(isTrial(true)));
  later(400, () => {
    assert.not(isTrial(false));
    assert.ok(isTrial(true));
  });
  // With few requests, a trial would be a large share of them.
  const { matrix: quiet } = partition(1, 20);
  later(400, () => assert.not(quiet.choose(0, ANY, [], true) === [...quiet.all()][1]));
  later(10_001, () => assert.is(quiet.choose(0, ANY, [], false), [...quiet.all()][1]));
});

test("gives a replica its share again after a few quick responses", () => {
  const { matrix, replicas } = partition(1, 8);
  for (let turn = 0; turn < 3; turn++) replicas[1]!.speed.observe(1);
  assert.equal(choices(matrix, 4), [0, 1, 0, 1]);
});

test("forgets the speed of a replica that was down", () => {
  const { matrix, replicas } = partition(1, 8);
  replicas[1]!.markDown("test");
  replicas[1]!.markUp();
  assert.equal(choices(matrix, 4), [0, 1, 0, 1]);
});

test("does not compare replicas with one that is down", () => {
  const { matrix, replicas } = partition(1, 8, 8);
  replicas[0]!.markDown("test");
  assert.equal(choices(matrix, 4), [1, 2, 1, 2]);
});

test("keeps the speed when the matrix changes", () => {
  const { matrix } = partition(1, 10);
  const replicas = [{ priority: 1 }, { priority: 2 }];
  const partitions = matrix.config.partitions.map((addresses) => [...addresses]);
  const next = new Matrix(readMatrixConfig({ partitions, replicas }), matrix);
  assert.is([...next.all()][1]!.speed.perRequest, 10);
});

test.run();
