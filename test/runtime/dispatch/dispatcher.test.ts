// Many requests through one dispatcher: queueing order, rejections, timeouts, and that nothing is
// left at the end.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import {
  HEDGE_SWEEP_MS,
  MAX_DISPATCH_BACKLOG,
  MAX_QUEUE_BYPASS_MS,
} from "../../../runtime/base/limits.js";
import type { Dispatch } from "../../../runtime/dispatch/dispatch-call.js";
import { Dispatcher } from "../../../runtime/dispatch/dispatcher.js";
import type { Outcome } from "../../../runtime/dispatch/partition-call.js";
import { transpiledModule } from "../../runner/transpiled.mjs";
import {
  type FakeBackEnd,
  type FakeRequest,
  responseText,
  until,
} from "./support/fake-back-end.js";
import { later } from "./support/later.js";
import { makeRequest, type RequestOptions } from "./support/make-request.js";
import { SmallMatrix } from "./support/small-matrix.js";

const test = suite("dispatcher");
const PARTIAL = "Content-Type: application/x-svc-partial";
let small: SmallMatrix;
let dispatcher: Dispatcher;

async function start(...size: Parameters<typeof SmallMatrix.start>): Promise<void> {
  small = await SmallMatrix.start(...size);
  dispatcher = new Dispatcher(small.config);
  await dispatcher.start();
}

test.after.each(async () => {
  dispatcher.close();
  await until(() => small.backEnds.flat().every(({ open }) => open === 0), "end of connections");
  await small.close();
});

interface Sent {
  outcome: Outcome | null;
  isAborted: boolean;
}

function send(
  path: string,
  options: RequestOptions & { resubmits?: number; client?: string } = {},
): Sent {
  const sent: Sent = { outcome: null, isAborted: false };
  const dispatch: Dispatch = {
    request: makeRequest(path, options),
    resubmits: options.resubmits ?? 0,
    explanation: null,
    trace: null,
    client: options.client ?? "127.0.0.1",
    isAborted: () => sent.isAborted,
    onEnd: (outcome) => {
      assert.is(sent.outcome, null);
      sent.outcome = outcome;
    },
  };
  dispatcher.dispatch(dispatch);
  return sent;
}

async function readText(sent: Sent): Promise<string> {
  await until(() => sent.outcome !== null, "outcome");
  const outcome = sent.outcome!;
  if (outcome.kind === "answered") return outcome.responses.map((each) => each?.body).join();
  return outcome.kind === "failed" ? outcome.message : `${outcome.status} ${outcome.message}`;
}

function requestPath({ line }: FakeRequest): string {
  return line.split(" ")[1]!;
}

/** Answers requests with their paths as they arrive, until it is stopped. */
function respondToAll(backEnd: FakeBackEnd): { readonly paths: string[]; stop(): void } {
  const paths: string[] = [];
  const timer = setInterval(() => {
    for (const request of backEnd.requests.splice(0)) {
      paths.push(requestPath(request));
      request.respond(200, requestPath(request), PARTIAL);
    }
  }, 1);
  return { paths, stop: () => clearInterval(timer) };
}

test("probes its back-ends at start", async () => {
  await start(2, 1);
  assert.equal(
    [...dispatcher.matrix.all()].map(({ isDown }) => isDown),
    [false, false],
  );
  assert.equal([dispatcher.working, dispatcher.waiting, dispatcher.waited], [0, 0, 0]);
});

test("serves waiting requests in order", async () => {
  await start(1, 1, { channels: 1 });
  const requests = Array.from({ length: 20 }, (_, index) => send(`/${index}`));
  assert.equal([dispatcher.working, dispatcher.waiting, dispatcher.waited], [20, 19, 19]);
  const responder = respondToAll(small.backEnd(0, 0));
  // A late request goes to the end, even if a channel is free by then.
  await until(() => requests[5]!.outcome !== null, "sixth answer");
  requests.push(send("/20"));
  for (const [index, sent] of requests.entries()) assert.is(await readText(sent), `/${index}`);
  responder.stop();
  assert.equal(
    responder.paths,
    requests.map((_, index) => `/${index}`),
  );
  assert.equal([dispatcher.working, dispatcher.waiting, small.backEnd(0, 0).open], [0, 0, 1]);
});

test("alternates between clients", async () => {
  await start(1, 1, { channels: 1 });
  const requests = Array.from({ length: 8 }, (_, index) => send(`/${index}`));
  requests.push(send("/other", { client: "127.0.0.2" }), send("/more", { client: "127.0.0.2" }));
  const responder = respondToAll(small.backEnd(0, 0));
  for (const sent of requests) await readText(sent);
  responder.stop();
  const expected = ["/0", "/1", "/other", "/2", "/more", "/3", "/4", "/5", "/6", "/7"];
  assert.equal(responder.paths, expected);
});

test("alternates between clients across queues", async () => {
  await start(1, 1, { channels: 1 });
  const blocker = send("/block");
  const requests = Array.from({ length: 4 }, (_, index) => send(`/${index}`));
  requests.push(blocker, send("/other", { client: "127.0.0.2", target: 0n }));
  const responder = respondToAll(small.backEnd(0, 0));
  for (const sent of requests) await readText(sent);
  responder.stop();
  assert.equal(responder.paths, ["/block", "/0", "/other", "/1", "/2", "/3"]);
});

test("rejects requests of the client with the longest queue when others need room", async () => {
  await start(1, 1, { channels: 1 });
  const requests = Array.from({ length: MAX_DISPATCH_BACKLOG + 1 }, (_, index) =>
    send(`/${index}`),
  );
  assert.is(dispatcher.waiting, MAX_DISPATCH_BACKLOG);
  const otherRequest = send("/other", { client: "127.0.0.2" });
  assert.is(dispatcher.waiting, MAX_DISPATCH_BACKLOG);
  assert.match(await readText(requests.at(-1)!), /^429 /);
  assert.match(await readText(send("/one-more")), /^429 /);
  const responder = respondToAll(small.backEnd(0, 0));
  assert.is(await readText(otherRequest), "/other");
  assert.is(responder.paths.indexOf("/other"), 2);
  for (const sent of requests) await readText(sent);
  responder.stop();
});

test("lets a request for fewer partitions overtake for a limited time", async () => {
  await start(2, 1, { channels: 1 });
  const blocker = send("/block", { target: 1n });
  const both = send("/both");
  const first = send("/first", { target: 0n });
  (await small.backEnd(0, 0).next()).respond(200, "first", PARTIAL);
  assert.is(await readText(first), "first,");
  later(MAX_QUEUE_BYPASS_MS + 1, () => send("/second", { target: 0n }));
  assert.equal([dispatcher.waiting, small.backEnd(0, 0).requests.length], [2, 0]);
  (await small.backEnd(1, 0).next()).respond(200, "x", PARTIAL);
  for (const partition of [0, 1]) {
    const request = await small.backEnd(partition, 0).next();
    assert.is(requestPath(request), "/both");
    request.respond(200, "both", PARTIAL);
  }
  assert.equal([await readText(blocker), await readText(both)], [",x", "both,both"]);
  assert.is(requestPath(await small.backEnd(0, 0).next()), "/second");
});

test("does not block queries behind feeders that wait for the primary row", async () => {
  await start(1, 2, { channels: 1 });
  const feeders = [send("/feed", { isPrimary: true }), send("/feed", { isPrimary: true })];
  assert.is(dispatcher.waiting, 1);
  const query = send("/query");
  (await small.backEnd(0, 1).next()).respond(200, "found", PARTIAL);
  assert.is(await readText(query), "found");
  for (const feeder of feeders) {
    (await small.backEnd(0, 0).next()).respond(200, "fed", PARTIAL);
    assert.is(await readText(feeder), "fed");
  }
});

test("rejects requests of a full queue with a message for each cause", async () => {
  await start(1, 2, { channels: 1 });
  const running = [send("/0"), send("/1")];
  const retried = await small.backEnd(0, 0).next();
  const waiting = Array.from({ length: MAX_DISPATCH_BACKLOG }, (_, index) => send(`/w${index}`));
  assert.is(dispatcher.waiting, MAX_DISPATCH_BACKLOG);
  const rejectedResponse = send("/more");
  assert.is(await readText(rejectedResponse), "429 Cannot accept new connection at this time");
  const resubmitted = send("/again", { resubmits: 1 });
  assert.is(await readText(resubmitted), "429 Client backlog full after re-dispatch attempt");
  // Otherwise the probe finds it healthy at once, and it gets the first waiting request.
  small.backEnd(0, 0).health = responseText(503, "");
  retried.respond(503, "");
  assert.is(await readText(running[0]!), "429 Client backlog full");
  assert.equal(
    [dispatcher.waiting, dispatcher.working],
    [MAX_DISPATCH_BACKLOG, MAX_DISPATCH_BACKLOG + 1],
  );
  const responder = respondToAll(small.backEnd(0, 1));
  const others = respondToAll(small.backEnd(0, 0));
  for (const sent of [running[1]!, ...waiting]) assert.match(await readText(sent), /^\//);
  responder.stop();
  others.stop();
});

test("drops waiting requests of disconnected clients", async () => {
  await start(1, 1, { channels: 1 });
  const [running, lostRequest, next] = [send("/running"), send("/gone"), send("/next")];
  lostRequest!.isAborted = true;
  const responder = respondToAll(small.backEnd(0, 0));
  assert.equal([await readText(running!), await readText(next!)], ["/running", "/next"]);
  responder.stop();
  assert.equal(responder.paths, ["/running", "/next"]);
  assert.is(dispatcher.working, 0);
});

test("fails waiting requests when the last replica goes down", async () => {
  await start(1, 1, { channels: 1 });
  const requests = Array.from({ length: 5 }, (_, index) => send(`/${index}`));
  small.backEnd(0, 0).health = responseText(503, "");
  (await small.backEnd(0, 0).next()).respond(503, "");
  for (const sent of requests) assert.is(await readText(sent), "503 Partition(s) down");
});

test("does not retry on a replica that failed the request and recovered", async () => {
  await start(1, 2, { channels: 1 });
  const [first, second] = [small.backEnd(0, 0), small.backEnd(0, 1)];
  const failed = send("/failed");
  const blocking = send("/blocking");
  const blockedRequest = await second.next();
  first.health = responseText(503, "");
  (await first.next()).respond(503, "");
  await until(() => dispatcher.waiting === 1, "one that waits");
  first.health = responseText(200, "SVC/3");
  await until(() => !dispatcher.matrix.backEnds[0]![0]!.isDown, "first back-end");
  assert.equal([dispatcher.waiting, first.requests.length], [1, 0]);
  blockedRequest.respond(200, "x", PARTIAL);
  assert.is(await readText(blocking), "x");
  (await second.next()).respond(200, "y", PARTIAL);
  assert.is(await readText(failed), "y");
});

test("aborts requests to a silent back-end after the timeout", async () => {
  await start(2, 1, {}, { timeout: 60 });
  const sent = send("/silent");
  (await small.backEnd(1, 0).next()).respond(200, "x", PARTIAL);
  assert.is(await readText(sent), "<partial: 0 width: 2> | 503 | timeout after 60 ms");
  assert.is(dispatcher.working, 0);
});

test("reports missing file descriptors without marking a back-end unhealthy", () => {
  const script = fileURLToPath(transpiledModule(new URL("support/exhausted.ts", import.meta.url)));
  const command = `ulimit -n 60 && exec "$0" "$1"`;
  const child = spawnSync("bash", ["-c", command, process.execPath, script], { encoding: "utf8" });
  const { status, message, isDown } = JSON.parse(child.stdout);
  assert.equal([status, isDown], [503, false]);
  assert.match(message, /^out of file descriptors: connect EMFILE/);
  assert.match(child.stderr, /^svc: cannot connect to back-ends: out of file descriptors/m);
});

test("waits without a limit when no timeout is set", async () => {
  await start(1, 1, {}, { timeout: 0 });
  const sent = send("/slow");
  const request = await small.backEnd(0, 0).next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  request.respond(200, "x", PARTIAL);
  assert.is(await readText(sent), "x");
});

// Only the first request may time out, even on a loaded machine.
for (const [name, fail, expectedError, timeout = 20_000] of [
  ["is slow once", () => {}, /timeout after/, 60],
  ["closes a connection", ({ socket }: FakeRequest) => socket.destroy(), /connection closed/],
  // A dispatcher whose own back-ends are down, but not for every request.
  ["rejects one request", (request: FakeRequest) => request.respond(503, ""), /^503 Part/],
] as const) {
  test(`keeps using a healthy back-end that ${name}`, async () => {
    await start(1, 2, {}, { timeout });
    const [backEnd, otherBackEnd] = [small.backEnd(0, 0), small.backEnd(0, 1)];
    otherBackEnd.health = responseText(503, "");
    dispatcher.matrix.backEnds[0]![1]!.markDown("a test says so");
    const sent = send("/a", { method: "POST", body: "x" });
    fail(await backEnd.next());
    assert.match(await readText(sent), expectedError);
    await until(() => !dispatcher.matrix.backEnds[0]![0]!.isDown, "back-end");
    assert.is(backEnd.probes, 2);
    const next = send("/b");
    (await backEnd.next()).respond(200, "y", PARTIAL);
    assert.is(await readText(next), "y");
  });
}

test("moves waiting requests to a changed matrix, running ones finish in the old one", async () => {
  await start(1, 2, { channels: 1 });
  const [first, second] = small.backEnds[0]!;
  const { config } = small;
  const row = (replica: number) => ({
    ...config,
    partitions: [[config.partitions[0]![replica]!]],
    replicas: [config.replicas[replica]!],
    primaryRow: 0,
  });
  await dispatcher.change(row(0));
  const runs = send("/runs");
  await until(() => first!.requests.length === 1, "request");
  const waits = send("/waits");
  assert.is(dispatcher.waiting, 1);
  const responder = respondToAll(second!);
  await dispatcher.change(row(1));
  assert.is(await readText(waits), "/waits");
  assert.equal(responder.paths, ["/waits"]);
  first!.requests[0]!.respond(200, "/runs", PARTIAL);
  assert.is(await readText(runs), "/runs");
  await until(() => first!.open === 0, "end of the connections to what has left");
  assert.equal(
    dispatcher.matrix.backEnds.map((replicas) => replicas.map(({ state }) => state)),
    [["up"]],
  );
  responder.stop();
  const unreachable = { host: "127.0.0.1", port: 1 };
  try {
    await dispatcher.change({ ...row(1), partitions: [[unreachable]] });
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC2800");
  }
  assert.is(dispatcher.matrix.backEnds[0]![0]!.address.port, second!.address.port);
});

test("applies the last of two concurrent changes", async () => {
  await start(1, 2);
  const { config } = small;
  const row = (replica: number, timeoutMs: number) => ({
    ...config,
    partitions: [[config.partitions[0]![replica]!]],
    replicas: [config.replicas[replica]!],
    ...{ primaryRow: 0, timeoutMs },
  });
  await dispatcher.change(row(1, 7000));
  // The first matrix has a back-end to probe, the second has none.
  await Promise.all([dispatcher.change(row(0, 8000)), dispatcher.change(row(1, 9000))]);
  assert.is(dispatcher.matrix.config.timeoutMs, 9000);
});

const LEADER = "X-SVC-Leader";

/** A group of two, of which the first one leads and has a request with a key, and one without. */
async function startGroup() {
  small = await SmallMatrix.start(1, 2, { leader: true });
  const [first, second] = small.backEnds[0]! as [FakeBackEnd, FakeBackEnd];
  first.health = responseText(200, "SVC/3", `${LEADER}: 1`);
  dispatcher = new Dispatcher(small.config);
  await dispatcher.start();
  const keyed = send("/keyed", { method: "POST", body: "b", isKeyed: true });
  const otherRequest = send("/other", { method: "POST", body: "b" });
  const requests = [await first.next(), await first.next()];
  return { first, second, keyed, otherRequest, requests };
}

test("requests to a leader that hangs go to the next one if that is safe", async () => {
  const { first, second, keyed, otherRequest } = await startGroup();
  first.health = "";
  second.health = responseText(200, "SVC/3", `${LEADER}: 2`);
  const repeated = await second.next();
  assert.is(requestPath(repeated), "/keyed");
  repeated.respond(200, "done", PARTIAL);
  assert.is(await readText(keyed), "done");
  assert.match(await readText(otherRequest), "another instance leads");
  assert.is(second.requests.length, 0);
});

test("requests to a former leader that still responds complete there", async () => {
  const { first, second, keyed, otherRequest, requests } = await startGroup();
  const { probes } = first;
  // Out of service: it responds all the same.
  first.health = responseText(503, "out");
  second.health = responseText(200, "SVC/3", `${LEADER}: 2`);
  await until(() => first.probes > probes, "probe of the former leader");
  for (const request of requests) request.respond(200, requestPath(request), PARTIAL);
  assert.equal([await readText(keyed), await readText(otherRequest)], ["/keyed", "/other"]);
  assert.is(second.requests.length, 0);
});

test("fails all running and waiting requests on close", async () => {
  await start(2, 1, { channels: 1 });
  const requests = [send("/a"), send("/b"), send("/c")];
  await small.backEnd(0, 0).next();
  dispatcher.close();
  for (const sent of requests) assert.is(await readText(sent), "503 Service Out");
  assert.equal([dispatcher.working, dispatcher.waiting], [0, 0]);
  // A processor may still return a request; its client already has its 503.
  assert.is(await readText(send("/late")), "503 Service Out");
  assert.is(dispatcher.working, 0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.not(small.backEnd(0, 0).requests.map(requestPath).includes("/late"));
});

/** Records the running timers that look for late requests, until `stop`. */
function recordSweeps(): { readonly running: Set<unknown>; stop(): void } {
  const { setInterval: begin, clearInterval: end } = globalThis;
  const running = new Set<unknown>();
  globalThis.setInterval = ((run: () => void, ms: number) => {
    const timer = begin(run, ms);
    if (ms === HEDGE_SWEEP_MS) running.add(timer);
    return timer;
  }) as typeof setInterval;
  globalThis.clearInterval = (timer) => {
    running.delete(timer);
    end(timer);
  };
  const stop = (): void =>
    void Object.assign(globalThis, { setInterval: begin, clearInterval: end });
  return { running, stop };
}

test("looks for late requests only while there are requests", async () => {
  const { running, stop } = recordSweeps();
  try {
    await start(1, 1, {}, { hedge: true });
    await until(() => running.size === 0, "end without requests");
    const requests = [send("/a"), send("/b")];
    assert.is(running.size, 1);
    const responder = respondToAll(small.backEnd(0, 0));
    for (const sent of requests) await readText(sent);
    responder.stop();
    await until(() => running.size === 0, "end after the last request");
    send("/c");
    await dispatcher.change({ ...small.config, hedge: false });
    assert.is(running.size, 0);
    await dispatcher.change(small.config);
    assert.is(running.size, 1);
    dispatcher.close();
    send("/d");
    assert.is(running.size, 0);
  } finally {
    stop();
  }
});

test.run();
