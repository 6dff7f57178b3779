// Admin tokens: each is valid once, for the client that requested it, for a limited time. A long
// random run compares with a model that stores everything.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminTokens } from "../../../runtime/builtin/admin/admin-tokens.js";
import { ControlService } from "../../../runtime/builtin/admin/control-service.js";
import { describeUncaught } from "../../../runtime/plugin/contract/stack-trace.js";

const test = suite("admin tokens");

function refusal(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
}

test("logs a rejected token in one line", () => {
  const tokens = new AdminTokens();
  tokens.issue("a");
  try {
    tokens.take("a", "x");
    assert.unreachable();
  } catch (error) {
    assert.is(describeUncaught(error), "PermissionError: Invalid authtoken");
  }
});

test("accepts a token once, from its client, for 300 seconds", () => {
  let now = 1_000_000;
  const tokens = new AdminTokens(() => now);
  assert.is(
    refusal(() => tokens.take("a", "x")),
    "PermissionError: Not authorized",
  );
  const { authtoken, t0, tx } = tokens.issue("a");
  assert.match(authtoken, /^[0-9a-f]{64}$/);
  assert.equal([t0, tx], [1000, 1300]);
  assert.is(
    refusal(() => tokens.take("b", authtoken)),
    "PermissionError: Not authorized",
  );
  assert.is(
    refusal(() => tokens.take("a", "x")),
    "PermissionError: Invalid authtoken",
  );
  assert.is(
    refusal(() => tokens.take("a", authtoken)),
    null,
  );
  assert.is(
    refusal(() => tokens.take("a", authtoken)),
    "PermissionError: Expired authtoken",
  );
  const late = tokens.issue("a");
  now += 300_000;
  assert.is(
    refusal(() => tokens.take("a", late.authtoken)),
    "PermissionError: Expired authtoken",
  );
});

test("accepts a superseded token once to end the process", () => {
  const tokens = new AdminTokens();
  const first = tokens.issue("a").authtoken;
  assert.is(
    refusal(() => tokens.checkPreviousToken("a", first)),
    "Exception: Invalid token",
  );
  tokens.issue("a");
  assert.is(
    refusal(() => tokens.checkPreviousToken("b", first)),
    "Exception: Invalid token",
  );
  assert.is(
    refusal(() => tokens.checkPreviousToken("a", first)),
    null,
  );
  assert.is(
    refusal(() => tokens.checkPreviousToken("a", first)),
    "Exception: Invalid token",
  );
});

test("ignores changes of the system clock", () => {
  const { now } = Date;
  const tokens = new AdminTokens();
  const { authtoken } = tokens.issue("a");
  try {
    Date.now = () => now() + 3_600_000;
    assert.is(
      refusal(() => tokens.take("a", authtoken)),
      null,
    );
  } finally {
    Date.now = now;
  }
});

test("never accepts a token twice or from another client (random events)", () => {
  const orders = Number(process.env.SVC_TOKEN_ORDERS ?? 20_000);
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  let now = 0;
  const tokens = new AdminTokens(() => now);
  const clients = ["a", "b", "c"];
  const current = new Map<string, { token: string; until: number; isUsed: boolean }>();
  const issued: string[] = ["none"];
  for (let step = 0; step < orders; step++) {
    const client = clients[random(3)]!;
    if (random(4) === 0) now += random(200_000);
    if (random(3) === 0) {
      const token = tokens.issue(client).authtoken;
      current.set(client, { token, until: now + 300_000, isUsed: false });
      issued.push(token);
      continue;
    }
    const presented = issued[Math.max(0, issued.length - 1 - random(6))]!;
    const clientToken = current.get(client);
    const isRight =
      clientToken?.token === presented && !clientToken.isUsed && now < clientToken.until;
    assert.is(refusal(() => tokens.take(client, presented)) === null, isRight, `step ${step}`);
    if (isRight) clientToken!.isUsed = true;
  }
});

const HEADERS = { "X-Svc-Builtin-Client": "http://127.0.0.1:4000/" };

test("returns the next token with the results of frequent operations alone", async () => {
  const desk = new ControlService(async () => ({ done: 1 }));
  const perform = (token: string, operation: string) => desk.perform(HEADERS, token, operation);
  const first = await perform(desk.issue(HEADERS).authtoken, "MoveSlots");
  const { authtoken, ...result } = first as { readonly authtoken: string };
  assert.equal(result, { done: 1 });
  assert.equal(await perform(authtoken, "Persist"), { done: 1 });
});

test("runs operations one at a time and returns failures as messages", async () => {
  const done: string[] = [];
  const desk = new ControlService(async (operation) => {
    done.push(`+${operation}`);
    await new Promise((resolve) => setImmediate(resolve));
    done.push(`-${operation}`);
    if (operation === "B") throw new Error('no "disk"');
    return operation;
  });
  const perform = (operation: string) =>
    desk.perform(HEADERS, desk.issue(HEADERS).authtoken, operation);
  assert.equal(await Promise.all([perform("A"), perform("B"), perform("C")]), [
    "A",
    'Exception("no \\"disk\\"")',
    "C",
  ]);
  assert.is(done.join(""), "+A-A+B-B+C-C");
});

test("rejects an operation while another one hangs", async () => {
  const desk = new ControlService(() => new Promise(() => {}), new AdminTokens(), 1);
  void desk.perform(HEADERS, desk.issue(HEADERS).authtoken, "A");
  try {
    await desk.perform(HEADERS, desk.issue(HEADERS).authtoken, "B");
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "Another admin operation is currently in progress");
  }
});

test("runs CancelSync while a synchronization is in progress", async () => {
  const desk = new ControlService(
    (operation) => (operation === "Sync" ? new Promise(() => {}) : Promise.resolve(operation)),
    new AdminTokens(),
    1,
  );
  void desk.perform(HEADERS, desk.issue(HEADERS).authtoken, "Sync");
  const { authtoken } = desk.issue(HEADERS);
  assert.is(await desk.perform(HEADERS, authtoken, "CancelSync"), "CancelSync");
});

test.run();
