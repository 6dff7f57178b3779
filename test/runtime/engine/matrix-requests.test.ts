// Steps of a dispatched request, with back-ends and executors that respond at once: relaying,
// processors, and the limit of resubmissions.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_RESUBMITS } from "../../../runtime/base/limits.js";
import { RESULT_FORWARD, RESULT_VALUE } from "../../../runtime/base/wire/batch.js";
import type { Dispatch } from "../../../runtime/dispatch/dispatch-call.js";
import type { Dispatcher } from "../../../runtime/dispatch/dispatcher.js";
import type { Matrix } from "../../../runtime/dispatch/matrix.js";
import type { Outcome } from "../../../runtime/dispatch/partition-call.js";
import { type LocalProcessor, MatrixRequests } from "../../../runtime/engine/matrix-requests.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import type { ResponseWriter } from "../../../runtime/engine/response-writer.js";
import type { Scheduler } from "../../../runtime/engine/scheduler.js";
import { TraceSampler } from "../../../runtime/engine/trace-sampler.js";
import { ClientPermissions } from "../../../runtime/http/client-permissions.js";
import type { Hierarchy } from "../../../runtime/http/envelope.js";
import type { Exchange } from "../../../runtime/http/transport.js";
import { PluginRequest } from "../../../runtime/plugin/request/plugin-request.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import { encodeForwarding } from "../../../runtime/plugin/run/forwarding.js";

const test = suite("matrix requests");
const PRE = { name: "pre", number: 0 };
const POST = { name: "post", number: 1 };
const FORWARD = encodeForwarding(new PluginRequest("find", { n: 2 }));
const EXCHANGE = {
  method: "GET",
  body: null,
  t0Ms: 0,
  aborted: false,
  trace: null,
  principal: null,
  isWarmUp: false,
  headers: { block: "Host: x\r\n", accept: "json", partialTarget: null, key: null, minQueue: 0 },
} as unknown as Exchange;

/** Runs requests to completion, one after the other. */
class Run {
  readonly dispatched: Pick<Dispatch, "request" | "resubmits">[] = [];
  readonly calls: PluginCall[] = [];
  /** Return values of the processors: a request to forward, or a value. */
  returned: readonly ("forward" | "value")[] = [];
  body = Buffer.from(new PluginResponse().serialize());
  /** Bodies of the partitions in each round, null for none, if partial results are allowed. */
  partials: readonly (readonly (Buffer | null)[])[] | null = null;
  localProcessor: LocalProcessor | null = null;
  /** Share of the matrix in the response of a processor. */
  coverage: number | null = null;
  exchange = EXCHANGE;
  /** Outcome of the matrix; null for a response of every partition. */
  outcome: Outcome | null = null;
  /** Number of resubmissions before that outcome. */
  rounds = 0;
  /** Position in the matrix where the error arose, as responded. */
  position: Hierarchy | null = null;
  /** Dispatchers that the request has passed. */
  via = "";
  /** Key of the request. */
  key: string | null = null;
  /** Partition that owns it; null: the system has no slots. */
  owner: number | null = null;
  /** Back-ends have reported the plugin as readonly. */
  isReadonly = false;
  answered = "";
  readonly #requests: MatrixRequests;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const traces = new TraceSampler(null, new ClientPermissions([]));
    this.#requests = new MatrixRequests(
      this.#dispatcher(),
      this.#writer(),
      this.#scheduler(),
      traces,
      null,
    );
  }

  async end(pre: typeof PRE | null, post: typeof POST | null): Promise<string> {
    const headers = { ...this.exchange.headers, via: this.via, key: this.key };
    const exchange = { ...this.exchange, headers } as Exchange;
    const request = { exchange, port: 0, target: "/svc/plugin/a", serial: 7 } as const;
    this.answered = "";
    const { localProcessor } = this;
    this.#requests.submit({ ...request, pre, post, localProcessor, minQueue: 0 });
    while (this.answered === "") await new Promise((resolve) => setImmediate(resolve));
    return this.answered;
  }

  #dispatcher(): Dispatcher {
    const matrix = {
      width: this.width,
      height: this.height,
      config: { timeoutMs: 0, minCoverage: 0, required: [1] },
      coverage: (leaves: readonly (number | null)[]) => leaves.filter(Boolean).length / this.width,
      partitionFor: () => this.owner,
    } as unknown as Matrix;
    Object.defineProperty(matrix, "slots", { get: () => (this.owner === null ? null : {}) });
    return {
      matrix,
      isRetryable: () => false,
      isReadonly: () => this.isReadonly,
      dispatch: (dispatch: Dispatch) => {
        const { request, resubmits } = dispatch;
        this.dispatched.push({ request, resubmits });
        const response = { status: 200, mediaType: "", backlog: -1, isLast: false };
        const responses = (
          this.partials?.[this.dispatched.length - 1] ?? new Array(this.width).fill(this.body)
        ).map((body) => body && { ...response, body });
        const allowsPartial = this.partials !== null;
        const answered: Outcome = { kind: "answered", responses, allowsPartial };
        const outcome = resubmits < this.rounds ? answered : (this.outcome ?? answered);
        queueMicrotask(() => dispatch.onEnd(outcome, matrix));
      },
    } as unknown as Dispatcher;
  }

  #writer(): ResponseWriter {
    return {
      isExplained: () => false,
      relay: () => this.#respond("relayed"),
      merged: () => this.#respond("merged"),
      result: (...[, , , , , , hierarchy]: Parameters<ResponseWriter["result"]>) => {
        this.coverage = hierarchy!.coverage;
        this.#respond("result");
      },
      refuse: ((_exchange, _port, status, message, how) => {
        this.position = how?.hierarchy ?? null;
        this.#respond(`${status} ${message}`);
      }) as ResponseWriter["refuse"],
    } as unknown as ResponseWriter;
  }

  #respond(how: string): void {
    assert.is(this.answered, "", "answered twice");
    this.answered = how;
  }

  #scheduler(): Scheduler {
    return {
      submit: (call: PluginCall) => {
        const returned = this.returned[this.calls.length] ?? this.returned.at(-1);
        this.calls.push(call);
        if (returned === "forward") call.step!.done(0, 200, RESULT_FORWARD, FORWARD);
        else call.step!.done(0, 200, RESULT_VALUE, "1");
      },
    } as unknown as Scheduler;
  }
}

test("relays responses only with one back-end and without processors", async () => {
  assert.is(await new Run(1, 1).end(null, null), "relayed");
  assert.is(await new Run(1, 2).end(null, null), "merged");
  assert.is(await new Run(2, 1).end(null, null), "merged");
  const run = new Run(1, 1);
  run.returned = ["value"];
  assert.is(await run.end(null, POST), "result");
});

test("rejects a request that loops back unchanged", async () => {
  const run = new Run(2, 1);
  run.via = "a,b";
  assert.is(await run.end(null, null), "merged");
  const { head } = run.dispatched[0]!.request;
  run.via = /\r\nX-SVC-Via: (.*)\r\n/.exec(head)![1]!;
  assert.match(run.via, /^a,b,[0-9a-f]{12}$/);
  assert.match(await run.end(null, null), /^500 dispatch loop: request returned to a dispatcher/);
  // Other dispatchers forward it, and so does a pre-processor, which may intend it.
  const otherRun = new Run(2, 1);
  otherRun.via = run.via;
  assert.is(await otherRun.end(null, null), "merged");
  run.returned = ["forward"];
  assert.is(await run.end(PRE, null), "merged");
});

test("sends a key to the primary replica unless the plugin is readonly", async () => {
  const run = new Run(2, 2);
  run.key = "é";
  assert.match(await run.end(null, null), /^400 X-SVC-Key: the system has no slots/);
  run.owner = -1;
  assert.match(await run.end(null, null), /^421 421 Misdirected Request: no back-end of this/);
  assert.is(run.dispatched.length, 0);
  run.owner = 1;
  for (const isReadonly of [false, true]) {
    run.isReadonly = isReadonly;
    await run.end(null, null);
    const { key, target, preference, head } = run.dispatched.at(-1)!.request;
    assert.equal([key, target, preference.isPrimary], ["é", null, !isReadonly]);
    assert.match(head, /\r\nX-SVC-Key: %C3%A9\r\n/);
  }
});

test("sends the result of a pre-processor that forwards nothing", async () => {
  const run = new Run(2, 1);
  run.returned = ["value"];
  assert.is(await run.end(PRE, POST), "result");
  assert.equal([run.dispatched.length, run.calls.length], [0, 1]);
});

test("runs each processor, the post-processor with the merged response", async () => {
  const run = new Run(2, 1);
  run.returned = ["forward", "value"];
  assert.is(await run.end(PRE, POST), "result");
  assert.equal(
    run.calls.map(({ plugin, minQueue, serial }) => [plugin.name, minQueue, serial]),
    [
      ["pre", 0, 7],
      ["post", 1, 7],
    ],
  );
  assert.is(run.calls[0]!.step!.merged, null);
  const [partial, texec, resubmits, state] = run.calls[1]!.step!.merged!;
  assert.is(PluginResponse.deserialize(partial).levelparts, 2);
  assert.ok(texec > 0 && state !== null);
  assert.is(resubmits, 0);
});

test("sends no retryable status for a request that may have been executed", async () => {
  for (const [isBegun, method, accept, status] of [
    [true, "POST", "partial", 500],
    [false, "POST", "partial", 503],
    [true, "GET", "partial", 503],
    [true, "POST", "json", 500],
  ] as const) {
    const run = new Run(2, 1);
    run.exchange = { ...EXCHANGE, method, headers: { ...EXCHANGE.headers, accept } } as Exchange;
    run.outcome = { kind: "refused", status: 503, message: "Partition(s) down", isBegun };
    assert.is(await run.end(null, null), `${status} Partition(s) down`);
  }
});

test("treats a resubmitted request as executed even if it is rejected", async () => {
  for (const [method, rounds, status] of [
    ["POST", 0, 429],
    ["POST", 1, 500],
    ["GET", 1, 429],
  ] as const) {
    const run = new Run(2, 1);
    run.exchange = { ...EXCHANGE, method } as Exchange;
    run.outcome = { kind: "refused", status: 429, message: "Client backlog full", isBegun: false };
    run.rounds = rounds;
    run.returned = ["forward"];
    assert.is(await run.end(null, POST), `${status} Client backlog full`);
  }
});

test("shows processors the forwarded path without the prefix", async () => {
  const run = new Run(2, 1);
  run.returned = ["forward", "value"];
  await run.end(PRE, POST);
  assert.equal(
    run.calls.map(({ step }) => step!.target),
    ["/svc/plugin/a", "/svc/plugin/a"],
  );
});

test("fails when partials cannot be merged", async () => {
  const run = new Run(2, 1);
  run.body = Buffer.from("<html>");
  assert.is(await run.end(null, POST), "500 partial 0 invalid mediatype: 3c68746d");
  assert.equal([run.position?.level, run.position?.partitions], [1, [2, 2, 0]]);
});

test("fails when valid partials do not fit together", async () => {
  const run = new Run(2, 1);
  const much = new PluginResponse();
  much.f2 = Number.MAX_VALUE;
  run.body = Buffer.from(much.serialize());
  assert.is(await run.end(null, POST), "500 float overflow in f2");
  assert.equal([run.position?.level, run.position?.partitions], [1, [2, 0, 2]]);
});

test("sends no partial result without the intact response of a required partition", async () => {
  const run = new Run(2, 1);
  const corrupt = Buffer.from("<html>");
  run.partials = [[corrupt, run.body]];
  assert.is(await run.end(null, null), "merged");
  run.partials = [];
  run.body = corrupt;
  assert.is(await run.end(null, null), "503 All partitions down");
  const secondRun = new Run(2, 1);
  secondRun.partials = [[secondRun.body, corrupt]];
  assert.is(await secondRun.end(null, null), "503 Partition(s) down");
});

test("reports the lower coverage of two rounds", async () => {
  for (const [first, second] of [
    [0.5, 1],
    [1, 0.5],
  ]) {
    const run = new Run(2, 1);
    const partials = (share = 0) => [share === 1 ? run.body : null, run.body];
    run.partials = [partials(first), partials(second)];
    run.localProcessor = {
      ...{ isPrimary: false, isFeed: false, secondRound: () => "statistics=1" },
      run: (_partial, _merging, done) => done(200, RESULT_VALUE, "1"),
    };
    assert.is(await run.end(null, null), "result");
    assert.equal([run.dispatched.length, run.coverage], [2, 0.5]);
  }
});

test("limits the number of resubmissions", async () => {
  const run = new Run(1, 1);
  run.returned = ["forward"];
  const message = `request was resubmitted more than ${MAX_RESUBMITS} times`;
  assert.is(await run.end(null, POST), `500 ${message}`);
  assert.is(run.dispatched.length, MAX_RESUBMITS + 1);
  assert.is(run.dispatched.at(-1)!.resubmits, MAX_RESUBMITS);
  assert.is(run.calls.at(-1)!.step!.merged![2], MAX_RESUBMITS);
});

test.run();
