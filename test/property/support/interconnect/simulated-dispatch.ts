// Clients that reach a group through the product's dispatcher, in a process of its own: changes
// with and without a key, and queries. Each request ends once, with its own response; one without a
// key is executed once at most.

import * as assert from "uvu/assert";
import { logSettings } from "../../../../runtime/base/log-settings.js";
import { Dispatcher } from "../../../../runtime/dispatch/dispatcher.js";
import type { ForwardedRequest } from "../../../../runtime/dispatch/forwarded-request.js";
import type { Outcome } from "../../../../runtime/dispatch/partition-call.js";
import { failureMessage } from "../../../../runtime/engine/error-message.js";
import { readMatrixConfig } from "../../../../runtime/settings/matrix-config.js";
import { makeRequest } from "../../../runtime/dispatch/support/make-request.js";
import type { Instance } from "../../../runtime/interconnect/support/instance.js";
import type { FrontRequest, FrontResponse } from "./simulated-front.js";
import type { SimulatedMember } from "./simulated-member.js";
import type { VirtualProcess, VirtualWorld } from "./virtual-world.js";

/** Id of the process. */
export const DISPATCHER = "D";
const TIMEOUT_MS = 4000;
const TICK_MS = 500;
const PARTIAL = "Content-Type: application/x-svc-partial";
/** A leader that fails a request with a key is followed by the next one within this time. */
const LEADER_WAIT_MS = 5000;
/** Until a summary of log lines is over. */
const SETTLE_MS = 11_000;

/** A change that a client has got a response for. */
export interface AcknowledgedChange {
  readonly id: string;
  readonly epoch: number;
  readonly member: string;
}

export interface DispatchParts {
  readonly world: VirtualWorld;
  /** HTTP port of each member. */
  readonly ports: readonly number[];
  readonly acknowledge: (change: AcknowledgedChange) => void;
  /** Called after each change of a graph. */
  readonly committed: (member: SimulatedMember) => void;
  /** Called when a change fails because others may lack it. */
  readonly unconfirmed: (id: string) => void;
  readonly check: (run: () => void) => void;
}

export class SimulatedDispatch {
  readonly #parts: DispatchParts;
  readonly #process: VirtualProcess;
  #dispatcher: Dispatcher | null = null;
  /** Rows for leaders only, as in systems; or also rows for queries. */
  readonly #isForLeaders: boolean;
  readonly #former = logSettings().level[0]!;
  /** Requests without an outcome. */
  readonly #open = new Set<string>();
  /** How often changes without a key were executed. */
  readonly #executions = new Map<string, number>();
  /** Keys of changes at work, by member. */
  readonly #atWork = new Set<string>();
  #serial = 0;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#isForLeaders = parts.world.random.below(3) > 0;
    this.#process = { id: DISPATCHER, rate: 1, isAlive: true, pausedUntil: 0 };
  }

  start(): void {
    logSettings().level[0] = -1;
    const { world, ports } = this.#parts;
    const rows = ports.map((port) => ({ host: "127.0.0.1", port }));
    const partitions = [this.#isForLeaders ? rows : [...rows, ...rows]];
    const replicas = partitions[0]!.map((_, n) => ({ leader: n < rows.length }));
    // Hedging looks for late requests every few milliseconds, which makes a seed cost more.
    const options = { timeout: TIMEOUT_MS, hedge: world.random.below(4) === 0 };
    const config = readMatrixConfig({ partitions, replicas, options });
    world.after(0, this.#process, () => {
      this.#dispatcher = new Dispatcher(config);
      void this.#dispatcher.start();
      setInterval(() => this.#dispatcher!.tick(), TICK_MS);
    });
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** A client sends a request. */
  send(): void {
    const { world } = this.#parts;
    const kind = world.random.below(4);
    const id = `d${this.#serial++}`;
    this.#open.add(id);
    world.after(0, this.#process, () => this.#dispatch(id, makeOne(kind, id)));
  }

  /** Ends everything, and lets nothing reach the next simulation. */
  async stop(): Promise<void> {
    const { world } = this.#parts;
    world.enter(this.#process, () => this.#dispatcher?.close());
    await world.runUntil(world.time.now + SETTLE_MS, () => false);
    logSettings().level[0] = this.#former;
  }

  /** Answers a request at a member. */
  async serve(
    member: SimulatedMember,
    instance: Instance,
    { path, id, isKeyed }: FrontRequest,
  ): Promise<FrontResponse> {
    const isReady = instance.readiness.at(-1) === null;
    const role = member.group?.role;
    if (path === "/svc/hc") {
      const leads = role === "leading" || role === "readonly";
      const fields = leads ? [`X-SVC-Leader: ${member.group!.epoch}`] : [];
      return { status: isReady ? 200 : 503, body: isReady ? "SVC/3" : "", fields };
    }
    if (!isReady) return { status: 503, body: "" };
    if (path === "/query") {
      member.checkReady();
      return { status: 200, body: id, fields: [PARTIAL, "X-SVC-Readonly: 1"] };
    }
    if (role === "readonly") return { status: 507, body: "" };
    if (role !== "leading") return { status: 421, body: "" };
    return this.#change(member, instance, id, isKeyed);
  }

  async #change(
    member: SimulatedMember,
    instance: Instance,
    id: string,
    isKeyed: boolean,
  ): Promise<FrontResponse> {
    const { epoch } = member.group!;
    const requestKey = `${member.id} ${member.startedAt} ${id}`;
    if (isKeyed && this.#atWork.has(requestKey)) return { status: 409, body: "" };
    this.#atWork.add(requestKey);
    try {
      // The key is stored with the change.
      const isKnown = isKeyed && member.graph.hasVertex(id);
      if (!isKnown) member.graph.createVertex(id, {});
      this.#parts.committed(member);
      if (!isKeyed) this.#executed(id);
    } catch {
      this.#atWork.delete(requestKey);
      return { status: 503, body: "" };
    }
    const isConfirmed = await instance.isConfirmed();
    this.#atWork.delete(requestKey);
    if (!isConfirmed) {
      this.#parts.unconfirmed(id);
      return { status: 500, body: failureMessage("not-durable", "p").json };
    }
    return { status: 200, body: `${id} ${epoch} ${member.id}`, fields: [PARTIAL] };
  }

  #executed(id: string): void {
    const count = (this.#executions.get(id) ?? 0) + 1;
    this.#executions.set(id, count);
    this.#parts.check(() => assert.is(count, 1, `${id} has no key, and was executed twice`));
  }

  #dispatch(id: string, request: ForwardedRequest): void {
    const sentAt = this.#parts.world.time.now;
    this.#dispatcher!.dispatch({
      ...{ request, resubmits: 0, explanation: null, trace: null, client: "c" },
      isAborted: () => false,
      onEnd: (outcome) => this.#parts.check(() => this.#ended(id, request, sentAt, outcome)),
    });
  }

  #ended(id: string, request: ForwardedRequest, sentAt: number, outcome: Outcome): void {
    const { now } = this.#parts.world.time;
    this.#parts.world.note(`${id} ${outcome.kind}`);
    assert.ok(this.#open.delete(id), `${id} has two outcomes`);
    if (outcome.kind === "failed" && request.isKeyed && this.#isForLeaders) {
      const isRefused = outcome.status === 409 || outcome.status === 507;
      assert.ok(isRefused || now - sentAt >= LEADER_WAIT_MS, `${id} has a key: ${outcome.message}`);
    }
    if (outcome.kind !== "answered") return;
    const body = outcome.responses[0]!.body.toString("latin1");
    const [answered, epoch, member = ""] = body.split(" ");
    assert.is(answered, id, "a response is that of its request");
    if (request.method === "GET") return;
    this.#parts.acknowledge({ id, epoch: Number(epoch), member });
  }
}

function makeOne(kind: number, id: string): ForwardedRequest {
  const method = kind === 0 ? "GET" : "POST";
  const path = kind === 0 ? "/query" : "/change";
  const isKeyed = kind > 1;
  const key = isKeyed ? `Idempotency-Key: ${id}\r\n` : "";
  const head = `${method} ${path}?${id} HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
  return { ...makeRequest(path, { method, isKeyed }), head };
}
