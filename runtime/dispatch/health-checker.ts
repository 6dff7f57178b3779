// Health checks: probes each back-end at start, and after a failed request with exponential backoff
// until it responds. Healthy back-ends are not probed: a failed request shows that they are down.
//
// A matrix may have 16,129 back-ends, all of them down, so concurrent probes and probes per second
// are limited, and unresponsive back-ends are probed less often, with jitter.

import { Backoff } from "../base/backoff.js";
import {
  MAX_CONCURRENT_PROBES,
  MAX_PROBE_INTERVAL_MS,
  PROBE_INTERVAL_MS,
  PROBE_TIMEOUT_MS,
  PROBES_PER_SECOND,
  STARTUP_PROBE_MS,
} from "../base/limits.js";
import { TRUNK_HEADER } from "../trunk/frames.js";
import type { BackEnd } from "./back-end.js";
import { Channel, type ChannelUser } from "./channel.js";
import { describeRefusal } from "./error-chain.js";
import type { Matrix } from "./matrix.js";
import type { BackEndResponse } from "./response-parser.js";

const HEALTHY = "SVC/3";
const TICK_MS = 50;
/** Probe intervals of group members that do not lead: without a leader, and with one. */
const LEADER_PROBE_MS = TICK_MS / 2;
const STANDBY_PROBE_MS = 2000;
/** Timeout for probes of former and late leaders. */
const FORMER_PROBE_MS = 1000;
/** Timeout for a probe on a used connection, which may be dead; the next probe opens a new one. */
const REUSED_PROBE_MS = 1000;
const PROBES_PER_TICK = (PROBES_PER_SECOND * TICK_MS) / 1000;

const BACKOFF = {
  ...{ minMs: PROBE_INTERVAL_MS, maxMs: MAX_PROBE_INTERVAL_MS, factor: 1.5, jitter: 0.2 },
};

/** Probe schedule of an unhealthy back-end. */
interface ProbeState {
  readonly backoff: Backoff;
  dueMs: number;
}

export class HealthChecker {
  #backEnds: readonly BackEnd[];
  readonly #revived: () => void;
  readonly #onLost: (backEnd: BackEnd) => void;
  readonly #sign: () => string;
  readonly #unhealthy = new Map<BackEnd, ProbeState>();
  readonly #probing = new Map<BackEnd, Probe>();
  /** Probes of former leaders. */
  readonly #confirming = new Set<Probe>();
  /** Probes of leaders whose responses are late. */
  readonly #suspected = new Map<BackEnd, Probe>();
  /** Late leaders that do not respond to probes either. */
  readonly #silent = new WeakSet<BackEnd>();
  /** Late leaders that responded to a probe, with the time until which they count as only slow. */
  readonly #trusted = new WeakMap<BackEnd, number>();
  /** By partition: highest epoch of a leader. Leaders with a lower one were replaced. */
  readonly #epochs = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  /** Round-robin position of the next tick. */
  #next = 0;

  /**
   * @param revived called when a back-end becomes usable again
   * @param onLost called when another instance leads, and the former leader does not respond
   * @param sign returns a header line for a probe
   */
  constructor(
    matrix: Matrix,
    revived: () => void,
    onLost: (backEnd: BackEnd) => void = () => undefined,
    sign = () => "",
  ) {
    this.#backEnds = [...matrix.all()];
    this.#revived = revived;
    this.#onLost = onLost;
    this.#sign = sign;
  }

  /** Resolves when each back-end was probed once, or at the startup deadline. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    await this.probeAll(this.#backEnds);
  }

  /** Switches to the back-ends of another matrix. */
  watch(matrix: Matrix): void {
    this.#backEnds = [...matrix.all()];
    this.#next = 0;
    this.#epochs.clear();
    const watched = new Set(this.#backEnds);
    for (const backEnd of this.#unhealthy.keys()) {
      if (!watched.has(backEnd)) this.#unhealthy.delete(backEnd);
    }
  }

  /** Probes unhealthy back-ends; resolves like `start`. */
  async probeAll(backEnds: readonly BackEnd[]): Promise<void> {
    const deadlineMs = performance.now() + STARTUP_PROBE_MS;
    const started = new Set<Promise<void>>();
    for (const backEnd of backEnds) {
      if (started.size >= MAX_CONCURRENT_PROBES) await Promise.race(started);
      if (this.#timer === null || performance.now() > deadlineMs) return;
      if (!backEnd.isDown || this.#probing.has(backEnd)) continue;
      const probe: Promise<void> = this.#probe(backEnd).finally(() => started.delete(probe));
      started.add(probe);
    }
    const timeout = new Promise<void>((resolve) => {
      setTimeout(resolve, Math.max(0, deadlineMs - performance.now())).unref();
    });
    await Promise.race([Promise.all(started), timeout]);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    const probes = [...this.#probing.values(), ...this.#confirming, ...this.#suspected.values()];
    for (const probe of probes) probe.cancel();
  }

  /**
   * Probes a back-end immediately after it has failed a request, so that one failure alone does not
   * exclude it.
   */
  check(backEnd: BackEnd): void {
    if (backEnd.row.isLeader) this.#findLeader(backEnd.position.partition);
    if (this.#timer !== null && !this.#probing.has(backEnd)) void this.#probe(backEnd);
  }

  /**
   * Handles a late leader: another instance may lead by now. A leader that responds to a probe is
   * only slow, so its group is not probed again for a while.
   */
  suspect(leader: BackEnd): void {
    if (performance.now() < (this.#trusted.get(leader) ?? 0)) return;
    this.#findLeader(leader.position.partition);
    if (!this.#suspected.has(leader)) void this.#probeSuspect(leader);
  }

  async #probeSuspect(leader: BackEnd): Promise<void> {
    let probe: Probe;
    const isWatched = (): boolean => this.#timer !== null && this.#backEnds.includes(leader);
    do {
      probe = new Probe(leader, this.#sign(), FORMER_PROBE_MS);
      this.#suspected.set(leader, probe);
      await probe.result;
      probe.close();
      if (probe.isLate) this.#silent.add(leader);
      else this.#silent.delete(leader);
    } while (probe.isLate && !leader.isDown && isWatched());
    this.#suspected.delete(leader);
    if ((await probe.result)?.leads == null) return;
    this.#trusted.set(leader, performance.now() + STANDBY_PROBE_MS);
  }

  #tick(): void {
    const now = performance.now();
    let free = Math.min(PROBES_PER_TICK, MAX_CONCURRENT_PROBES - this.#probing.size);
    for (let remaining = this.#backEnds.length; remaining > 0 && free > 0; remaining--) {
      const backEnd = this.#backEnds[this.#next]!;
      this.#next = (this.#next + 1) % this.#backEnds.length;
      if (!backEnd.isDown || this.#probing.has(backEnd)) continue;
      if (now < (this.#unhealthy.get(backEnd)?.dueMs ?? 0)) continue;
      free--;
      void this.#probe(backEnd);
    }
  }

  /** @param reused connection of the previous probe */
  async #probe(backEnd: BackEnd, reused?: Channel): Promise<void> {
    const probe = new Probe(
      backEnd,
      this.#sign(),
      reused === undefined ? PROBE_TIMEOUT_MS : REUSED_PROBE_MS,
      reused,
    );
    this.#probing.set(backEnd, probe);
    const response = await probe.result;
    this.#probing.delete(backEnd);
    if (response === null || !this.#mayReceive(backEnd, response))
      return this.#postpone(backEnd, probe);
    probe.close();
    this.#unhealthy.delete(backEnd);
    this.#silent.delete(backEnd);
    backEnd.markUp(response.takesTrunk);
    this.#revived();
  }

  /** Returns whether a back-end may receive requests; in a group, only the leader may. */
  #mayReceive(backEnd: BackEnd, { leads }: BackEndResponse): boolean {
    const { row, position } = backEnd;
    if (!row.isLeader) return true;
    const highest = this.#epochs.get(position.partition) ?? 0;
    if (leads === null || leads < highest) return false;
    this.#epochs.set(position.partition, leads);
    if (leads === highest) return true;
    for (const member of this.#membersOf(position.partition)) {
      if (member === backEnd) continue;
      if (!member.isDown) member.markDown("another instance leads");
      if (member.running > 0) void this.#checkFormer(member);
    }
    return true;
  }

  /** Fails the requests at a former leader if it no longer responds; otherwise they complete. */
  async #checkFormer(former: BackEnd): Promise<void> {
    if (this.#silent.has(former)) return this.#onLost(former);
    const probe = this.#suspected.get(former) ?? new Probe(former, this.#sign(), FORMER_PROBE_MS);
    this.#confirming.add(probe);
    await probe.result;
    probe.close();
    this.#confirming.delete(probe);
    if (!probe.hasResponded && this.#timer !== null) this.#onLost(former);
  }

  /** Probes all members of a group at once. */
  #findLeader(partition: number): void {
    for (const member of this.#membersOf(partition)) {
      const isProbed = !member.isDown || this.#probing.has(member);
      if (!isProbed && this.#timer !== null) void this.#probe(member);
    }
  }

  #standbyMs({ position }: BackEnd): number {
    const hasLeader = this.#membersOf(position.partition).some(
      (member) => !member.isDown && !this.#suspected.has(member),
    );
    return hasLeader ? STANDBY_PROBE_MS : LEADER_PROBE_MS;
  }

  #membersOf(partition: number): readonly BackEnd[] {
    return this.#backEnds.filter(
      ({ row, position }) => row.isLeader && position.partition === partition,
    );
  }

  #postpone(backEnd: BackEnd, probe: Probe): void {
    if (this.#timer === null) return probe.close();
    backEnd.markDown(`health check failed${probe.refusal}`);
    const state = this.#unhealthy.get(backEnd) ?? { backoff: new Backoff(BACKOFF), dueMs: 0 };
    const { isLeader } = backEnd.row;
    const delayMs = isLeader ? this.#standbyMs(backEnd) : state.backoff.fail();
    state.dueMs = performance.now() + delayMs;
    this.#unhealthy.set(backEnd, state);
    // Probes sooner than by ticks, because requests wait for a leader, unless too many are down.
    if (delayMs >= TICK_MS || this.#unhealthy.size > PROBES_PER_TICK) return probe.close();
    setTimeout(() => this.#probeAgain(backEnd, probe.channel), delayMs).unref();
  }

  #probeAgain(backEnd: BackEnd, channel: Channel): void {
    const isWaiting = backEnd.isDown && this.#unhealthy.has(backEnd);
    const isDue = this.#timer !== null && isWaiting && !this.#probing.has(backEnd);
    if (!isDue) channel.abort();
    else void this.#probe(backEnd, channel.isOpen ? channel : undefined);
  }
}

/** One probe, on a new connection or on that of the previous probe. */
class Probe implements ChannelUser {
  /** Response of a healthy back-end, otherwise null. */
  readonly result: Promise<BackEndResponse | null>;
  /** The back-end has sent a response, healthy or not. */
  hasResponded = false;
  /** Message of a response with 503, such as one to an invalid signature; empty for none. */
  refusal = "";
  /** The timeout has passed without a response. */
  isLate = false;
  readonly channel: Channel;
  readonly #timer: NodeJS.Timeout;
  #resolve: (response: BackEndResponse | null) => void = () => {};

  /** @param signature header line */
  constructor(
    { address, connector }: BackEnd,
    signature: string,
    timeoutMs: number,
    reused?: Channel,
  ) {
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => {
      this.isLate = true;
      this.cancel();
    }, timeoutMs);
    this.channel = reused ?? new Channel(0, address, "", () => {}, undefined, connector);
    const fields = `Host: ${address.host}\r\n${TRUNK_HEADER}: 1\r\n${signature}`;
    const head = `GET /svc/hc HTTP/1.1\r\n${fields}\r\n`;
    this.channel.send(head, null, this);
  }

  cancel(): void {
    this.close();
    this.#end(null);
  }

  /** Closes its connection. */
  close(): void {
    this.channel.abort();
  }

  onResponse(_channel: Channel, response: BackEndResponse): void {
    this.hasResponded = true;
    const { status, body } = response;
    if (status === 503) this.refusal = `: ${describeRefusal(body)}`;
    this.#end(status === 200 && body.toString("latin1") === HEALTHY ? response : null);
  }

  onFailure(): void {
    this.#end(null);
  }

  #end(response: BackEndResponse | null): void {
    clearTimeout(this.#timer);
    this.#resolve(response);
  }
}
