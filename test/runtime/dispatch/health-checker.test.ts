// Health checks: an unhealthy back-end is probed until it responds correctly.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HealthChecker } from "../../../runtime/dispatch/health-checker.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import { FakeBackEnd, responseText, until } from "./support/fake-back-end.js";

const test = suite("health");

function makeMatrix(...backEnds: readonly FakeBackEnd[]): Matrix {
  const partitions = backEnds.map(({ address }) => [address]);
  return new Matrix(readMatrixConfig({ partitions, replicas: [{}] }));
}

/** Health of each back-end. */
function alive(matrix: Matrix): boolean[] {
  return [...matrix.all()].map(({ isDown }) => !isDown);
}

test("probes all back-ends at start and uses the healthy ones", async () => {
  const well = await FakeBackEnd.start();
  const invalidBackEnds = await Promise.all(
    [
      responseText(503, "SVC/3"),
      responseText(429, "SVC/3"),
      responseText(200, "SVC/2"),
      responseText(200, ""),
      "220 mail\r\n\r\n",
    ].map(async (health) => Object.assign(await FakeBackEnd.start(), { health })),
  );
  const closedBackEnd = await FakeBackEnd.start();
  await closedBackEnd.close();
  const matrix = makeMatrix(closedBackEnd, ...invalidBackEnds, well);
  assert.ok(alive(matrix).every((isAlive) => !isAlive));
  let revived = 0;
  const health = new HealthChecker(matrix, () => revived++);
  await health.start();
  health.stop();
  assert.equal(alive(matrix), [...new Array(invalidBackEnds.length + 1).fill(false), true]);
  assert.is(revived, 1);
  // Probes leave no connection open.
  await until(
    () => [well, ...invalidBackEnds].every(({ open }) => open === 0),
    "end of the probes",
  );
  for (const backEnd of [well, ...invalidBackEnds]) await backEnd.close();
});

test("detects recovery, and probes only unhealthy back-ends", async () => {
  const [first, second] = [await FakeBackEnd.start(), await FakeBackEnd.start()];
  second.health = responseText(503, "out");
  const matrix = makeMatrix(first, second);
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  assert.equal(alive(matrix), [true, false]);
  second.health = responseText(200, "SVC/3");
  await until(() => alive(matrix)[1]!, "second back-end");
  assert.is(first.probes, 1);
  assert.is(second.probes, 2);
  const [backEnd] = matrix.all();
  backEnd!.markDown("a test says so");
  await until(() => alive(matrix)[0]!, "first back-end");
  assert.is(first.probes, 2);
  assert.is(second.probes, 2);
  health.stop();
  await Promise.all([first.close(), second.close()]);
});

test("does not probe a silent back-end twice at once", async () => {
  const silent = Object.assign(await FakeBackEnd.start(), { health: "" });
  const matrix = makeMatrix(silent);
  const health = new HealthChecker(matrix, () => {});
  const started = health.start();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.is(silent.accepted, 1);
  health.stop();
  await started;
  assert.equal(alive(matrix), [false]);
  await silent.close();
});

/** A group of two, of which the first one leads. */
async function startGroup() {
  const [leader, standby] = [await FakeBackEnd.start(), await FakeBackEnd.start()];
  leader.health = responseText(200, "SVC/3", "X-SVC-Leader: 1");
  const partitions = [[leader.address, standby.address]];
  const replicas = [{ leader: true }, { leader: true }];
  return { leader, standby, matrix: new Matrix(readMatrixConfig({ partitions, replicas })) };
}

test("a silent leader loses its requests once another one leads", async () => {
  const { leader, standby, matrix } = await startGroup();
  const events: string[] = [];
  const heard = [() => events.push("next"), () => events.push("lost")] as const;
  const health = new HealthChecker(matrix, ...heard);
  await health.start();
  const [first] = matrix.all();
  const channel = first!.takeChannel();
  leader.health = "";
  const { probes } = leader;
  health.suspect(first!);
  await until(() => leader.probes === probes + 2, "late response to the first probe");
  events.length = 0;
  standby.health = responseText(200, "SVC/3", "X-SVC-Leader: 2");
  await until(() => events.length === 2, "the next leader");
  assert.equal(events, ["lost", "next"]);
  first!.returnChannel(channel, -1);
  health.stop();
  matrix.close();
  for (const backEnd of [leader, standby]) await backEnd.close();
});

test("a leader of a past epoch is not used again", async () => {
  const { leader, standby, matrix } = await startGroup();
  standby.health = responseText(200, "SVC/3", "X-SVC-Leader: 2");
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  await until(() => alive(matrix)[1]!, "the leader of the later epoch");
  const [previousLeader, next] = [...matrix.all()];
  previousLeader!.markDown("a test says so");
  const { probes } = leader;
  health.check(previousLeader!);
  await until(() => leader.probes > probes && leader.open === 0, "probe of the former leader");
  assert.equal([previousLeader!.isDown, next!.isDown], [true, false]);
  health.stop();
  matrix.close();
  for (const backEnd of [leader, standby]) await backEnd.close();
});

test("stops probing a silent leader that left the matrix", async () => {
  const { leader, standby, matrix } = await startGroup();
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  const [first] = matrix.all();
  leader.health = "";
  health.suspect(first!);
  await until(() => leader.open === 1, "probe of the late leader");
  const next = makeMatrix(standby);
  health.watch(next);
  await until(() => leader.open === 0, "end of the probe");
  // Another one would have begun before this one.
  await health.probeAll([...next.all()]);
  assert.is(leader.accepted, 2);
  health.stop();
  for (const checker of [matrix, next]) checker.close();
  for (const backEnd of [leader, standby]) await backEnd.close();
});

test("polls members of a group only while its leader is silent", async () => {
  const { leader, standby, matrix } = await startGroup();
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  const [first] = matrix.all();
  const suspectUntil = (condition: () => boolean, label: string) =>
    until(() => {
      health.suspect(first!);
      return condition();
    }, label);
  const healthy = leader.health;
  leader.health = "";
  await suspectUntil(() => standby.probes >= 5, "probes of the standby");
  leader.health = healthy;
  leader.reset();
  const probes = leader.probes;
  await suspectUntil(() => leader.probes > probes, "probe of the late leader");
  const [before, since] = [standby.probes, performance.now()];
  await suspectUntil(() => performance.now() - since > 500, "time");
  // Until it has responded, and the usual ones; a silent leader causes about 20.
  const maxProbes = 10 + (performance.now() - since) / 2000;
  assert.ok(standby.probes - before <= maxProbes, `${standby.probes - before} probes`);
  health.stop();
  matrix.close();
  for (const backEnd of [leader, standby]) await backEnd.close();
});

test("polls members of a group without a leader more often than others", async () => {
  const { leader, standby, matrix } = await startGroup();
  leader.health = responseText(200, "SVC/3");
  const { setInterval: real } = globalThis;
  // The ticks for all others never come.
  globalThis.setInterval = ((run: () => void) => real(run, 2 ** 30)) as typeof setInterval;
  const health = new HealthChecker(matrix, () => {});
  await health.start();
  globalThis.setInterval = real;
  const { probes } = standby;
  await until(() => standby.probes >= probes + 3, "probes without a tick");
  assert.is(standby.accepted, 1, "connections for all of them");
  standby.health = responseText(200, "SVC/3", "X-SVC-Leader: 2");
  await until(() => alive(matrix).includes(true), "the next leader");
  await until(() => standby.open === 0, "end of its connection");
  health.stop();
  await until(() => leader.open === 0, "end of the probes");
  matrix.close();
  for (const backEnd of [leader, standby]) await backEnd.close();
});

test("a silent member gets a new connection before one that never responded", async () => {
  const { leader: silentBackEnd, standby, matrix } = await startGroup();
  silentBackEnd.health = "";
  standby.health = responseText(503, "");
  const health = new HealthChecker(matrix, () => {});
  const started = health.start();
  await until(() => standby.probes >= 2, "probes on one connection");
  standby.health = "";
  await until(() => standby.accepted === 2, "another connection");
  assert.is(silentBackEnd.accepted, 1);
  health.stop();
  await started;
  matrix.close();
  for (const backEnd of [silentBackEnd, standby]) await backEnd.close();
});

test.run();
