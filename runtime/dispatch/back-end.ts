// One back-end of the matrix: what it costs to send it another request, whether it is alive, and
// its channels. Idle channels are a stack, so that a warm one is taken first and the others age.

import {
  ABANDONED_REQUEST_TTL_MS,
  BUSY_BACKEND_COOLDOWN_MS,
  CONNECT_TIMEOUT_MS,
  EXTRA_CHANNEL_IDLE_MS,
  IDLE_CHANNEL_MS,
  LOAD_REPORT_TTL_MS,
} from "../base/limits.js";
import { log } from "../base/log.js";
import type { BackEndAddress, ReplicaRow } from "../settings/matrix-config.js";
import { BackEndMetrics } from "./back-end-metrics.js";
import { Channel } from "./channel.js";
import { type Connector, type Opener, PLAIN } from "./connector.js";
import { LogCoalescer } from "./log-coalescer.js";
import { OutlierDetector } from "./outlier-detector.js";
import { TrunkConnector } from "./trunk-connector.js";

/** Added to the cost of a back-end that just had too much to do. */
const PENALTY = 256;
/** Changes of all back-ends that this thread logs one by one; of more it logs how many. */
const MAX_LOGGED_CHANGES = 20;
const LOG_WINDOW_MS = 5000;

const changes = new LogCoalescer({
  most: MAX_LOGGED_CHANGES,
  windowMs: LOG_WINDOW_MS,
  later: (run, ms) => void setTimeout(run, ms).unref(),
  tell: (untold) => {
    const kinds = [...untold].map(([state, count]) => `${count} are ${state}`).join(", ");
    log(`more back-ends have changed in ${LOG_WINDOW_MS / 1000} s: ${kinds}`, "warn");
  },
});

export interface ReplicaAddress {
  readonly partition: number;
  readonly replica: number;
  readonly width: number;
  readonly height: number;
  readonly isPrimary: boolean;
}

/** Ejected: it answers probes but failed requests; only now and then one tries it. */
export type BackEndState = "up" | "down" | "ejected";

export class BackEnd {
  readonly address: BackEndAddress;
  readonly place: ReplicaAddress;
  readonly row: ReplicaRow;
  /** Not used until a probe has succeeded; so it is before the first one. */
  isDefunct = true;
  /** Whether it answers requests as it answers probes. */
  readonly outlier = new OutlierDetector((change) => this.#tell(change));
  readonly figures: BackEndMetrics;
  readonly #idle: Channel[] = [];
  readonly #connectTimeoutMs: number;
  #running = 0;
  /** The log says so. */
  #wasDown = false;
  /** Channel numbers in use. */
  readonly #numbers: boolean[];
  /** Requests that the back-end has from others, as it last said, and until when that counts. */
  #foreign = 0;
  #foreignUntilMs = 0;
  #penalisedUntilMs = 0;
  /** All channels may share a connection, as it says; null: to be asked. */
  takesTrunk: boolean | null = null;
  readonly #trunks: TrunkConnector;
  /** The matrix has no place for it any more. */
  #isLeaving = false;

  /** @param former the same instance at another place, or with another weight */
  constructor(
    address: BackEndAddress,
    row: ReplicaRow,
    place: ReplicaAddress,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    former: BackEnd | undefined = undefined,
    readonly connector = PLAIN,
  ) {
    this.figures = former?.figures ?? new BackEndMetrics();
    this.isDefunct = former?.isDefunct ?? true;
    this.#wasDown = former?.isDefunct ?? false;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#trunks = new TrunkConnector(connector, connectTimeoutMs, () => {
      this.takesTrunk = null;
    });
    this.takesTrunk = former?.takesTrunk ?? null;
    this.address = address;
    this.row = row;
    this.place = place;
    this.#numbers = new Array(row.channels).fill(false);
  }

  /** What it is to requests that may choose. */
  get state(): BackEndState {
    if (this.isDefunct) return "down";
    return this.outlier.isEjected ? "ejected" : "up";
  }

  /** Requests of this dispatcher that run in it, each on a channel. */
  get running(): number {
    return this.#running;
  }

  /** Connections that are open. */
  get openChannels(): number {
    return this.#idle.length + this.#running;
  }

  get hasFreeChannel(): boolean {
    return this.#running < this.row.channels;
  }

  /** Running Execution Cost (http-interface, "Dispatch cost rules"). */
  get cost(): number {
    const isKnown = this.#foreign > 0 && performance.now() < this.#foreignUntilMs;
    return this.row.priority * (this.#running + (isKnown ? this.#foreign : 0));
  }

  /** What replicas are compared by. */
  get value(): number {
    return this.cost * this.outlier.costFactor + (this.isPenalized ? PENALTY : 0);
  }

  get isPenalized(): boolean {
    return this.#penalisedUntilMs > 0 && performance.now() < this.#penalisedUntilMs;
  }

  /** Takes a channel for a request; there must be a free one. */
  take(): Channel {
    const channel = this.#idle.pop() ?? this.#newChannel();
    this.#running++;
    this.outlier.begun();
    return channel;
  }

  /** Gives a channel back. `backlog` is the back-end's own count of its requests, -1 if unknown. */
  give(channel: Channel, backlog: number): void {
    this.#running--;
    this.outlier.ended();
    const isOfUse = !this.#isLeaving && channel.opener === this.#opener;
    if (channel.isOpen && !isOfUse) channel.close();
    else if (channel.isOpen) this.#idle.push(channel);
    else this.#numbers[channel.number] = false;
    // Once nothing of ours runs there, what it said is out of date before it is next compared.
    if (this.#running === 0 && backlog >= 0) this.#foreign = 0;
    else if (backlog >= 0) {
      this.#foreign = Math.max(0, backlog - this.#running);
      this.#foreignUntilMs = performance.now() + LOAD_REPORT_TTL_MS;
    }
  }

  /**
   * It may go on with what nobody waits for any more: that costs until it tells its load.
   * @param sentMs when that was sent, monotonic
   */
  abandon(sentMs: number): void {
    this.#foreign++;
    this.#foreignUntilMs = performance.now() + ABANDONED_REQUEST_TTL_MS;
    this.#trunks.eject(sentMs);
  }

  /** Avoids it for a while: it had too much to do. */
  penalize(): void {
    this.#penalisedUntilMs = performance.now() + BUSY_BACKEND_COOLDOWN_MS;
  }

  /**
   * A probe has succeeded.
   * @param takesTrunk it says so
   */
  revive(takesTrunk = false): void {
    this.isDefunct = false;
    if (takesTrunk !== (this.takesTrunk ?? false)) this.close();
    if (!takesTrunk) this.#trunks.leave();
    this.takesTrunk = takesTrunk;
    if (this.#wasDown) this.#tell("is back");
    this.#wasDown = false;
    this.#foreign = 0;
    this.#penalisedUntilMs = 0;
  }

  /** It is not to be used; connections that carry nothing end. */
  retire(reason: string): void {
    this.isDefunct = true;
    if (!this.#wasDown) this.#tell(`is down: ${reason}`);
    this.#wasDown = true;
    this.close();
  }

  #tell(change: string): void {
    const { state } = this;
    if (!changes.admits(state)) return;
    const { host, port } = this.address;
    const { partition, replica } = this.place;
    const text = `back-end ${host}:${port} (partition ${partition}, replica ${replica}) ${change}`;
    log(text, "warn", { backEnd: `${host}:${port}`, partition, replica, state });
  }

  /** Closes the channel that was idle for longest, if that was long; the last one stays longer. */
  trim(): void {
    this.#trunks.trim();
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    const limitMs = this.openChannels === 1 ? EXTRA_CHANNEL_IDLE_MS : IDLE_CHANNEL_MS;
    if (performance.now() - oldest.sinceMs > limitMs) oldest.close();
  }

  /** It is used no more; each connection ends with the answer that it waits for. */
  leave(): void {
    this.#isLeaving = true;
    this.close();
    this.#trunks.leave();
  }

  /** Whether it can take this place of another matrix as it is, connections and all. */
  isFor(row: ReplicaRow, place: ReplicaAddress, connector: Connector): boolean {
    return (
      this.connector === connector &&
      this.row.channels === row.channels &&
      this.row.priority === row.priority &&
      this.#identLine(0, place) === this.#identLine(0)
    );
  }

  /** Ends the connections that carry nothing. */
  close(): void {
    for (const channel of [...this.#idle]) channel.close();
    this.#trunks.trim();
  }

  get #opener(): Opener {
    return this.takesTrunk ? this.#trunks : this.connector;
  }

  #newChannel(): Channel {
    // Nothing has told whether it was replaced by a newer version meanwhile.
    if (this.takesTrunk === false && this.openChannels === 0) this.takesTrunk = null;
    const number = this.#numbers.indexOf(false);
    this.#numbers[number] = true;
    const closed = (channel: Channel): void => {
      const at = this.#idle.indexOf(channel);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#numbers[channel.number] = false;
      // It may be the end of an older version.
      if (this.takesTrunk === false) this.takesTrunk = null;
    };
    const identLine = this.#identLine(number);
    const { address } = this;
    return new Channel(number, address, identLine, closed, this.#connectTimeoutMs, this.#opener);
  }

  #identLine(channel: number, place = this.place): string {
    const { width, height, partition, replica, isPrimary } = place;
    const matrix = `${width} ${height} ${this.row.channels}`;
    return `XSVCIDENT ${matrix} ${partition} ${replica} ${channel} ${isPrimary ? 1 : 0}\r\n`;
  }
}
