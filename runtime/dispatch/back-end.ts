// A back-end of the matrix: its cost, health and channels. Idle channels are a stack, so that a
// warm one is reused first and the others age.

import type { Socket } from "node:net";
import {
  ABANDONED_REQUEST_TTL_MS,
  BUSY_BACKEND_COOLDOWN_MS,
  CONNECT_TIMEOUT_MS,
  EXTRA_CHANNEL_IDLE_MS,
  IDLE_CHANNEL_MS,
  LOAD_REPORT_TTL_MS,
} from "../base/limits.js";
import { log } from "../base/log.js";
import { logEvent } from "../base/recent-events.js";
import type { BackEndAddress, ReplicaRow } from "../settings/matrix-config.js";
import { BackEndMetrics } from "./back-end-metrics.js";
import { Channel } from "./channel.js";
import { type Connector, type Opener, PLAIN } from "./connector.js";
import { LogCoalescer } from "./log-coalescer.js";
import { OutlierDetector } from "./outlier-detector.js";
import { ReplicaSpeed } from "./replica-speed.js";
import { TrunkConnector } from "./trunk-connector.js";

/** Cost added to a back-end that just reported overload. */
const PENALTY = 256;
/** State changes per window that are logged individually; the rest is summarized. */
const MAX_LOGGED_CHANGES = 20;
const LOG_WINDOW_MS = 5000;

const changes = new LogCoalescer({
  maxLines: MAX_LOGGED_CHANGES,
  windowMs: LOG_WINDOW_MS,
  later: (run, ms) => void setTimeout(run, ms).unref(),
  report: (unlogged) => {
    const kinds = [...unlogged].map(([state, count]) => `${count} are ${state}`).join(", ");
    log(`more back-ends changed state in ${LOG_WINDOW_MS / 1000} s: ${kinds}`, "warn");
  },
});

export interface ReplicaAddress {
  readonly partition: number;
  readonly replica: number;
  readonly width: number;
  readonly height: number;
  readonly isPrimary: boolean;
}

/** Ejected: passes probes, but has failed requests; receives only trial requests. */
export type BackEndState = "up" | "down" | "ejected";

export class BackEnd {
  readonly address: BackEndAddress;
  readonly position: ReplicaAddress;
  readonly row: ReplicaRow;
  /** Not used until a probe succeeds; initially true. */
  isDown = true;
  /** Circuit breaker on its responses. */
  readonly outlier = new OutlierDetector((change) => this.#logChange(change));
  readonly metrics: BackEndMetrics;
  readonly speed: ReplicaSpeed;
  readonly #idle: Channel[] = [];
  readonly #connectTimeoutMs: number;
  #running = 0;
  /** Logged as down. */
  #wasDown = false;
  /** Channel numbers in use. */
  readonly #numbers: boolean[];
  /** Requests of other dispatchers in the last load report, and the expiry of that report. */
  #otherLoad = 0;
  #otherLoadUntilMs = 0;
  #penalizedUntilMs = 0;
  /** Whether it accepts a trunk for all channels; null: unknown. */
  takesTrunk: boolean | null = null;
  readonly #trunks: TrunkConnector;
  /** Removed from the matrix. */
  #isLeaving = false;

  /** @param former the same instance in the former matrix, with another position or weight */
  constructor(
    address: BackEndAddress,
    row: ReplicaRow,
    replica: ReplicaAddress,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    former: BackEnd | undefined = undefined,
    readonly connector = PLAIN,
  ) {
    this.metrics = former?.metrics ?? new BackEndMetrics();
    this.speed = former?.speed ?? new ReplicaSpeed();
    this.isDown = former?.isDown ?? true;
    this.#wasDown = former?.isDown ?? false;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#trunks = new TrunkConnector(connector, connectTimeoutMs, () => {
      this.takesTrunk = null;
    });
    this.takesTrunk = former?.takesTrunk ?? null;
    this.address = address;
    this.row = row;
    this.position = replica;
    this.#numbers = new Array(row.channels).fill(false);
  }

  /** State for replica selection. */
  get state(): BackEndState {
    if (this.isDown) return "down";
    return this.outlier.isEjected ? "ejected" : "up";
  }

  /** Requests of this dispatcher in execution, one per channel. */
  get running(): number {
    return this.#running;
  }

  /** Open connections. */
  get openChannels(): number {
    return this.#idle.length + this.#running;
  }

  get hasFreeChannel(): boolean {
    return this.#running < this.row.channels;
  }

  /** Requests in execution, including those reported of other dispatchers. */
  get load(): number {
    const isKnown = this.#otherLoad > 0 && performance.now() < this.#otherLoadUntilMs;
    return this.#running + (isKnown ? this.#otherLoad : 0);
  }

  /** Running Execution Cost (http-interface, "Dispatch cost rules"). */
  get cost(): number {
    return this.row.priority * this.load;
  }

  /**
   * Returns the value by which replicas are compared: the cost. For a slow replica, it is raised to
   * the relative time that the next request would take.
   * @param fastest `speed.perRequest` of the fastest replica of the partition
   */
  value(fastest: number): number {
    const factor = this.speed.factor(fastest);
    const load = factor === 1 ? this.load : (this.load + 1) * factor - 1;
    const cost = this.row.priority * load;
    return cost * this.outlier.costFactor + (this.isPenalized ? PENALTY : 0);
  }

  get isPenalized(): boolean {
    return this.#penalizedUntilMs > 0 && performance.now() < this.#penalizedUntilMs;
  }

  /** Takes a channel for a request; requires a free one. */
  takeChannel(): Channel {
    const channel = this.#idle.pop() ?? this.#newChannel();
    this.#running++;
    this.outlier.recordRequest();
    return channel;
  }

  /** Opens a separate connection, not a channel, for an endless response. */
  openStream(): Socket {
    const socket = this.connector.open(this.address);
    socket.write(this.#identLine(0), "latin1");
    return socket;
  }

  /** Returns a channel. `backlog` is the back-end's own count of its requests, -1 if unknown. */
  returnChannel(channel: Channel, backlog: number): void {
    this.#running--;
    this.outlier.recordEnd();
    const isReusable = !this.#isLeaving && channel.opener === this.#opener;
    if (channel.isOpen && !isReusable) channel.close();
    else if (channel.isOpen) this.#idle.push(channel);
    else this.#numbers[channel.number] = false;
    // Without own requests in execution, the report would be stale at the next comparison.
    if (this.#running === 0 && backlog >= 0) this.#otherLoad = 0;
    else if (backlog >= 0) {
      this.#otherLoad = Math.max(0, backlog - this.#running);
      this.#otherLoadUntilMs = performance.now() + LOAD_REPORT_TTL_MS;
    }
  }

  /**
   * Counts a request that the back-end may still execute, until it reports its load.
   * @param sentMs when it was sent, monotonic
   */
  abandon(sentMs: number): void {
    this.#otherLoad++;
    this.#otherLoadUntilMs = performance.now() + ABANDONED_REQUEST_TTL_MS;
    this.#trunks.eject(sentMs);
  }

  /** Avoids the back-end for a while after it reported overload. */
  penalize(): void {
    this.#penalizedUntilMs = performance.now() + BUSY_BACKEND_COOLDOWN_MS;
  }

  /**
   * Marks it as up after a successful probe.
   * @param takesTrunk whether it accepts a trunk
   */
  markUp(takesTrunk = false): void {
    this.isDown = false;
    if (takesTrunk !== (this.takesTrunk ?? false)) this.close();
    if (!takesTrunk) this.#trunks.leave();
    this.takesTrunk = takesTrunk;
    if (this.row.isLeader) this.#logChange("leads");
    else if (this.#wasDown) this.#logChange("is back");
    this.#wasDown = false;
    this.#otherLoad = 0;
    this.#penalizedUntilMs = 0;
    this.speed.forget();
  }

  /** Marks it as down and closes idle connections. */
  markDown(reason: string): void {
    const isStandby = this.row.isLeader === true && this.isDown;
    this.isDown = true;
    if (!this.#wasDown && !isStandby) this.#logChange(`is down: ${reason}`);
    this.#wasDown = true;
    this.close();
  }

  #logChange(change: string): void {
    const { state } = this;
    if (!changes.admits(state)) return;
    const { host, port } = this.address;
    const { partition, replica } = this.position;
    const text = `back-end ${host}:${port} (partition ${partition}, replica ${replica}) ${change}`;
    logEvent("back-end", text, "warn", { backEnd: `${host}:${port}`, partition, replica, state });
  }

  /** Closes the channel that was idle longest, if long enough; the last one stays longer. */
  trim(): void {
    this.#trunks.trim();
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    const limitMs = this.openChannels === 1 ? EXTRA_CHANNEL_IDLE_MS : IDLE_CHANNEL_MS;
    if (performance.now() - oldest.sinceMs > limitMs) oldest.close();
  }

  /** Stops using the back-end; each connection closes after its pending response. */
  leave(): void {
    this.#isLeaving = true;
    this.close();
    this.#trunks.leave();
  }

  /** Returns whether its connections can be reused at this position of another matrix. */
  isFor(row: ReplicaRow, position: ReplicaAddress, connector: Connector): boolean {
    return (
      this.connector === connector &&
      this.row.channels === row.channels &&
      this.row.priority === row.priority &&
      this.#identLine(0, position) === this.#identLine(0)
    );
  }

  /** Closes idle connections. */
  close(): void {
    for (const channel of [...this.#idle]) channel.close();
    this.#trunks.trim();
  }

  get #opener(): Opener {
    return this.takesTrunk ? this.#trunks : this.connector;
  }

  #newChannel(): Channel {
    // The back-end may have been replaced by a newer version that accepts trunks.
    if (this.takesTrunk === false && this.openChannels === 0) this.takesTrunk = null;
    const number = this.#numbers.indexOf(false);
    this.#numbers[number] = true;
    const closed = (channel: Channel): void => {
      const at = this.#idle.indexOf(channel);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#numbers[channel.number] = false;
      // The closed connection may be the shutdown of an older version.
      if (this.takesTrunk === false) this.takesTrunk = null;
    };
    const identLine = this.#identLine(number);
    const { address } = this;
    return new Channel(number, address, identLine, closed, this.#connectTimeoutMs, this.#opener);
  }

  #identLine(channel: number, position = this.position): string {
    const { width, height, partition, replica, isPrimary } = position;
    const matrix = `${width} ${height} ${this.row.channels}`;
    return `XSVCIDENT ${matrix} ${partition} ${replica} ${channel} ${isPrimary ? 1 : 0}\r\n`;
  }
}
