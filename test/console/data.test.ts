// Data that the console derives before display: responses, states, polls, series, texts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callServer, errorMessage, readReply } from "../../console/data/client.js";
import { instanceState } from "../../console/data/instance-state.js";
import { consoleUrl, matchesSelection } from "../../console/data/instances.js";
import { numberAt, textAt } from "../../console/data/node-stat.js";
import { startPoll } from "../../console/data/poll.js";
import { Series } from "../../console/data/series.js";
import { age, bytes, clipForDisplay, count, duration } from "../../console/data/text.js";

const test = suite("console data");

test("unwraps envelopes, and shows other responses unchanged", () => {
  const reply = readReply(200, `{"status":"OK","response":[1],"exec_ms":2.5}`, 9);
  assert.equal([reply.value, reply.execMs, reply.ok], [[1], 2.5, true]);
  assert.is(readReply(200, "plain", 1).value, "plain");
  assert.is(readReply(502, "<html>", 1).ok, false);
  const thrown = `{"message":{"p":{"exception":"<class 'X'>","value":"bad n"}}}`;
  assert.is(errorMessage(readReply(500, thrown, 1)), "500: bad n");
  assert.is(errorMessage(readReply(404, `{"message":"404 Not Found"}`, 1)), "404 Not Found");
});

test("keeps bodies without an envelope, with their media type", async () => {
  const { fetch } = globalThis;
  const ask = async (body: string | Uint8Array<ArrayBuffer>, type: string) => {
    const headers = { "content-type": type };
    globalThis.fetch = async () => new Response(body, { headers });
    return callServer("svc/plugin/x").finally(() => {
      globalThis.fetch = fetch;
    });
  };
  const picture = await ask(Uint8Array.of(0x89, 0xff), "image/png");
  assert.equal(
    [picture.mediaType, picture.body?.size, picture.body?.type],
    [...["image/png", 2, "image/png"]],
  );
  const page = await ask("<p>ü", "text/html; charset=utf-8");
  assert.equal([page.mediaType, page.body, page.value], ["text/html", null, "<p>ü"]);
  const enveloped = await ask('{"status":"OK","response":1}', "application/json");
  assert.equal([enveloped.mediaType, enveloped.body, enveloped.value], ["", null, 1]);
});

test("reads missing fields and those of other types as empty", () => {
  const hostile = JSON.parse(`{"__proto__": {"rate": 1}, "a": {"b": "x"}, "n": null}`);
  assert.is(numberAt(hostile, "a", "b"), 0);
  assert.is(textAt(hostile, "a", "b"), "x");
  assert.is(numberAt(hostile, "n", "x"), 0);
  assert.is(numberAt({}, "constructor", "length"), 0);
  assert.is(numberAt([5], "0"), 0);
});

const HEALTHY = { ready: true, "service-in": 1, "memory-total": 100, "memory-available": 50 };

test("shows the state of the first matching rule", () => {
  const rows: [unknown, string][] = [
    [undefined, "Down"],
    [null, "Waiting"],
    [HEALTHY, "OK"],
    [{ ...HEALTHY, "memory-available": 6, ready: false }, "! MEM 94%"],
    [{ ...HEALTHY, synchronizing: 1, "sync-progress": 40, ready: false }, "Sync 40%"],
    [{ ...HEALTHY, "snapshot-writing": true, ready: false }, "Snapshot"],
    [{ ...HEALTHY, ready: false, "memory-available": 8 }, "Starting"],
    [{ ...HEALTHY, "memory-available": 8 }, "! MEM 92%"],
    [{ ...HEALTHY, "memory-available": 15, "service-in": 0 }, "Mem 85%"],
    [{ ...HEALTHY, "service-in": 0, readonly: true }, "S-OUT"],
    [{ ...HEALTHY, ready: false }, "Starting"],
    [{ ...HEALTHY, readonly: true, "log-state": "full" }, "Disk full"],
    [{ ...HEALTHY, readonly: true, "log-state": "failed" }, "Log failed"],
    [{ ...HEALTHY, "log-state": "low" }, "Disk low"],
    [{ ...HEALTHY, ready: false, replica: { state: "waiting" } }, "No Input"],
    [{ ...HEALTHY, ready: false, replica: { state: "catching-up" } }, "Catch-up"],
    [{ ...HEALTHY, ready: false, replica: { state: "rewinding" } }, "Rewinding"],
    [{ ...HEALTHY, readonly: true, "memory-available": 18 }, "Readonly"],
    [{ ...HEALTHY, "memory-available": 18 }, "Memory 82%"],
  ];
  for (const [node, word] of rows) assert.is(instanceState(node).word, word);
});

test("orders rules of matrix and replication as in the interface", () => {
  const digest = (text: string) => ({ digest: text, "idle-ms": 31_000 });
  const replica = { ...HEALTHY, ...digest("a"), txport: 7, provider: "svc://x:1", adminport: 3 };
  const behind = (by: number) => ({ ...HEALTHY, ...digest("a"), "master-serial": String(by) });
  const lagging = { ...behind(0), subscribers: [{ adminport: 3, lag_ms: 31_000 }] };
  const rows: [node: unknown, entry: unknown, provider: unknown, word: string][] = [
    [undefined, { error: true }, null, "Down"],
    [undefined, { error: true, slow: true }, null, "Slow"],
    [{ ...HEALTHY, "memory-available": 5 }, { slow: true }, null, "! MEM 95%"],
    [HEALTHY, { slow: true, "matrix-degraded": true }, null, "Slow"],
    [HEALTHY, { "matrix-complete": false, "matrix-degraded": true }, null, "Partial"],
    [HEALTHY, { "matrix-complete": true, "matrix-degraded": true }, null, "Degraded"],
    [HEALTHY, { "matrix-complete": true, "matrix-consistent": false }, null, "OK/Delta"],
    [HEALTHY, { "matrix-complete": true, "matrix-consistent": true }, null, "OK"],
    [{ ...HEALTHY, txport: 7, provider: null }, null, HEALTHY, "No Input"],
    [replica, null, { ...HEALTHY, digest: "b" }, "OK/Delta"],
    [{ ...replica, "idle-ms": 1 }, null, { ...HEALTHY, digest: "b" }, "OK"],
    [replica, null, behind(5), "S/N -5"],
    [replica, null, behind(5000), "S/N"],
    [replica, null, lagging, "Busy"],
    [replica, null, undefined, "OK"],
  ];
  for (const [node, entry, provider, word] of rows) {
    assert.is(
      instanceState(node, entry, provider).word,
      word,
      JSON.stringify([node, entry, provider]),
    );
  }
});

test("links to consoles of addresses alone", () => {
  const instance = { id: "B1", type: "", address: "h:1", node: null, entry: null, provider: null };
  const row = { ...instance, state: instanceState(null) };
  assert.is(consoleUrl(row, "status", "http:"), "http://h:1/status");
  assert.is(consoleUrl(row, "status", "https:"), "https://h:1/status");
  assert.is(consoleUrl({ ...row, address: "a b<c" }, "status", "http:"), null);
});

test("selects ids by lists and patterns, as the command line", () => {
  const ids = ["S1.1", "S1.2", "S2.1", "B1", "TD"];
  for (const [list, meant] of [
    ["S1.*", "S1.1 S1.2"],
    ["*.1", "S1.1 S2.1"],
    ["S*1", "S1.1 S2.1"],
    ["B1, TD", "B1 TD"],
    ["*", ids.join(" ")],
    ["S", ""],
    ["", ""],
    [" , ", ""],
    ["S1.1*.1", ""],
    [".*", ""],
    [`${"*a".repeat(5000)}`, ""],
  ] as const) {
    assert.is(ids.filter((id) => matchesSelection(id, list)).join(" "), meant, list.slice(0, 20));
  }
});

/** A poll with a fake clock: its requests and delays. */
function falsePoll(ask: () => Promise<void>, isHidden = () => false, everyMs = 100, now = 0) {
  let next: (() => void) | null = null;
  const waits: number[] = [];
  const end = startPoll(
    { ask, isHidden, failed: () => {}, everyMs },
    {
      now: () => now,
      set: (run, ms) => {
        next = run;
        waits.push(ms);
      },
      clear: () => {
        next = null;
      },
    },
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    waits,
    end,
    isWaiting: () => next !== null,
    tick: async () => {
      await settle();
      const run = next;
      next = null;
      run?.();
      await settle();
    },
  };
}

test("backs off after failures, and resets after a response", async () => {
  let isUp = false;
  const poll = falsePoll(() => (isUp ? Promise.resolve() : Promise.reject(new Error("gone"))));
  for (let turn = 0; turn < 5; turn++) await poll.tick();
  assert.equal(poll.waits.slice(0, 6), [200, 400, 800, 1500, 1500, 1500]);
  isUp = true;
  await poll.tick();
  assert.is(poll.waits.at(-1), 100);
  poll.end();
  assert.not(poll.isWaiting());
});

test("aligns polls that start at different moments", async () => {
  for (const now of [0, 1, 260, 499, 500, 7730]) {
    const poll = falsePoll(async () => undefined, undefined, 1000, now);
    await poll.tick();
    const [waitMs] = poll.waits;
    assert.is((now + waitMs!) % 500, 0);
    assert.ok(waitMs! > 500 && waitMs! <= 1000, `${waitMs}`);
    poll.end();
  }
});

test("detects recovery within three seconds after any outage", async () => {
  const rejectGone = () => Promise.reject(new Error("gone"));
  for (const everyMs of [1000, 2000]) {
    const poll = falsePoll(rejectGone, () => false, everyMs);
    for (let turn = 0; turn < 5; turn++) await poll.tick();
    assert.equal(poll.waits.slice(1, 6), [2500, 2500, 2500, 2500, 2500]);
    poll.end();
  }
  const seldom = falsePoll(rejectGone, () => false, 4000);
  for (let turn = 0; turn < 3; turn++) await seldom.tick();
  assert.equal(seldom.waits.slice(1, 3), [4000, 4000]);
  seldom.end();
});

test("does not poll in a hidden tab, or during another request", async () => {
  let requests = 0;
  let isHidden = true;
  const hidden = falsePoll(
    async () => {
      requests++;
    },
    () => isHidden,
  );
  await hidden.tick();
  assert.is(requests, 0);
  isHidden = false;
  await hidden.tick();
  assert.is(requests, 1);
  hidden.end();
  const slow = falsePoll(() => new Promise(() => {}));
  await slow.tick();
  assert.equal(slow.waits, []);
  slow.end();
});

test("keeps the last points of a series, and gaps", () => {
  const series = new Series(2, 3);
  for (let time = 1; time <= 5; time++) series.add(time, [time, -time]);
  series.add(5, [9, 9]);
  series.add(6, []);
  assert.equal(series.times, [4, 5, 6]);
  assert.equal(series.values, [
    [4, 5, null],
    [-4, -5, null],
  ]);
});

test("truncates foreign texts and shows invisible characters", () => {
  assert.is(clipForDisplay("a\u202eb\u0000\u200b"), "a\\u{202e}b\\u{0}\\u{200b}");
  const long = clipForDisplay("x".repeat(100_000));
  assert.ok(long.length < 250 && long.endsWith("… (100,000 characters)"));
  assert.is(clipForDisplay({ a: [1] }), `{"a":[1]}`);
  assert.is(clipForDisplay(undefined), "undefined");
  assert.equal([bytes(100), bytes(1536), bytes(5e9)], ["100 B", "1.5 KiB", "4.7 GiB"]);
  assert.equal([count(1234567), count(0.125)], ["1,234,567", "0.13"]);
  assert.equal([duration(59), duration(90_061)], ["00:00:59", "1 d 01:01:01"]);
  assert.equal([0, 59, 119, 3600, 11_520, 90_061].map(age), [
    ...["0 s", "59 s", "1 min", "1 h", "3 h 12 min", "1 d 1 h"],
  ]);
});

test.run();
