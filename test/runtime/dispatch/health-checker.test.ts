// Back-ends that are down are asked for their health until they answer rightly.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HealthChecker } from "../../../runtime/dispatch/health-checker.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import { answerText, FakeBackEnd, until } from "./support/fake-back-end.js";

const test = suite("health");

function matrixOf(...backEnds: readonly FakeBackEnd[]): Matrix {
  const partitions = backEnds.map(({ address }) => [address]);
  return new Matrix(readMatrixConfig({ partitions, replicas: [{}] }));
}

/** Which back-ends are in use. */
function alive(matrix: Matrix): boolean[] {
  return [...matrix.all()].map(({ isDefunct }) => !isDefunct);
}

test("all back-ends are asked at start, and used when they are well", async () => {
  const well = await FakeBackEnd.start();
  const wrong = await Promise.all(
    [
      answerText(503, "SVC/3"),
      answerText(429, "SVC/3"),
      answerText(200, "SVC/2"),
      answerText(200, ""),
      "220 mail\r\n\r\n",
    ].map(async (health) => Object.assign(await FakeBackEnd.start(), { health })),
  );
  const gone = await FakeBackEnd.start();
  await gone.close();
  const matrix = matrixOf(gone, ...wrong, well);
  assert.ok(alive(matrix).every((isAlive) => !isAlive));
  let revived = 0;
  const health = new HealthChecker(matrix, () => revived++);
  await health.start();
  health.stop();
  assert.equal(alive(matrix), [...new Array(wrong.length + 1).fill(false), true]);
  assert.is(revived, 1);
  // Probes leave no connection behind.
  await until(() => [well, ...wrong].every(({ open }) => open === 0), "end of the probes");
  for (const backEnd of [well, ...wrong]) await backEnd.close();
});

test("a back-end comes back by itself, and only those that are down are asked", async () => {
  const [first, second] = [await FakeBackEnd.start(), await FakeBackEnd.start()];
  second.health = answerText(503, "out");
  const matrix = matrixOf(first, second);
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  assert.equal(alive(matrix), [true, false]);
  second.health = answerText(200, "SVC/3");
  await until(() => alive(matrix)[1]!, "second back-end");
  assert.is(first.probes, 1);
  assert.is(second.probes, 2);
  const [backEnd] = matrix.all();
  backEnd!.retire("a test says so");
  await until(() => alive(matrix)[0]!, "first back-end");
  assert.is(first.probes, 2);
  assert.is(second.probes, 2);
  health.stop();
  await Promise.all([first.close(), second.close()]);
});

test("a back-end that keeps silent is not asked twice at once", async () => {
  const silent = Object.assign(await FakeBackEnd.start(), { health: "" });
  const matrix = matrixOf(silent);
  const health = new HealthChecker(matrix, () => {});
  const started = health.start();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.is(silent.accepted, 1);
  health.stop();
  await started;
  assert.equal(alive(matrix), [false]);
  await silent.close();
});

test.run();
