// Replication traffic: totals and rates per direction, and the peers. Written by the interconnect
// thread, read by all threads.

import { nowMs } from "../base/clock.js";
import type { HistogramRecord } from "../base/log2-histogram.js";

/** Totals of one direction. */
export interface Sums {
  bytes: number;
  /** Logged operations. */
  records: number;
  /** Transactions. */
  transactions: number;
  /** Frames, each of which is one flush. */
  frames: number;
}

/** A subscriber of this provider. */
export interface SubscriberReport {
  /** `svc://host:port`, as attached. */
  readonly uri: string;
  readonly host: string;
  readonly ip: string;
  readonly adminPort: number;
  readonly txPort: number;
  readonly isConnected: boolean;
  readonly isSynchronizing: boolean;
  /** Digest of its graphs; empty: not reported. */
  readonly digest: string;
  readonly serial: number;
  /** Replication lag, as time and as number of transactions. */
  readonly lagMs: number;
  readonly lagTransactions: number;
}

/** Progress of a replica. Only `leader`, `caught-up` and `orphan` may serve. */
export interface ReplicaReport {
  readonly state:
    | "leader"
    | "waiting"
    | "fetching"
    | "catching-up"
    | "caught-up"
    | "orphan"
    | "diverged"
    | "fenced"
    | "rewinding";
  /** Bytes of snapshots, or transactions. */
  readonly done: number;
  readonly of: number;
}

/** Returns the reason why the graphs of an instance are not ready for service; null: ready. */
export function describeNotReady({ state, done, of }: ReplicaReport): string | null {
  switch (state) {
    case "leader":
    case "caught-up":
    case "orphan":
      return null;
    case "waiting":
      return "waiting for a provider";
    case "fetching":
      return `fetching snapshots ${done}/${of}`;
    case "catching-up":
      return `catching up ${done}/${of}`;
    case "diverged":
      return "graphs differ from those of the provider";
    case "fenced":
      return "another instance provides in its place";
    case "rewinding":
      return "giving up changes that the leader lacks";
  }
}

/** Continuous backup of an instance. */
export interface ArchiveReport {
  readonly place: string;
  /** Time since the backup had all durable transactions. */
  readonly ageMs: number;
  /** Durable transactions that it lacks. */
  readonly lagTransactions: number;
  /** Time since the last successful verification, or since the start. */
  readonly verifiedMs: number;
}

/** A group that elects its leader, from the view of one member. */
export interface GroupReport {
  /** Name of the group: its first member. */
  readonly group: string;
  readonly role: "none" | "leading" | "readonly" | "refusing" | "following";
  /** Null: unknown or no leader. */
  readonly leader: string | null;
  readonly epoch: number;
  /** In a leader: other members that have all acknowledged changes. */
  readonly synced: readonly string[];
  /** The leader acknowledges changes that too few members have. */
  readonly isAtRisk: boolean;
  /** The last call of the leadership engine failed. */
  readonly isEngineDown: boolean;
}

export interface TrafficReport {
  readonly replica: ReplicaReport;
  /** Null without leadership settings. */
  readonly group: GroupReport | null;
  readonly in: Sums;
  readonly out: Sums;
  /** Recent bytes per second. */
  readonly rateIn: number;
  readonly rateOut: number;
  /**
   * Replication lag: milliseconds since the last applied transaction became durable at the
   * provider; 0 without lag.
   */
  readonly lagMs: number;
  /** Master serial: number of the first provider's last transaction applied here. */
  readonly serial: number;
  readonly txPort: number;
  readonly lastChangeAtMs: number;
  /** Graphs being received as snapshots. */
  readonly synchronizing: number;
  /** `svc://address:port` of the provider; null: no provider. */
  readonly provider: string | null;
  readonly providerDigest: string;
  readonly subscribers: readonly SubscriberReport[];
  /** Null if not configured. */
  readonly archive: ArchiveReport | null;
  /** Size of the transaction log on disk. */
  readonly logBytes: number;
  /** Durations of its flushes; null without a log. */
  readonly flushes: HistogramRecord | null;
  /** Whether receiving or sending is suspended. */
  readonly halted: { readonly in: boolean; readonly out: boolean };
  /** Maximum send rates per second; null: unlimited. */
  readonly throttle: {
    readonly [unit in "bytes" | "opcodes" | "operations" | "transactions"]: number | null;
  };
}

/** Members that the interconnect thread adds to those of its traffic. */
type AddedMembers =
  | "replica"
  | "group"
  | "archive"
  | "subscribers"
  | "logBytes"
  | "flushes"
  | "halted"
  | "throttle";

const none = (): Sums => ({ bytes: 0, records: 0, transactions: 0, frames: 0 });

/** No traffic. */
export const NO_TRAFFIC: TrafficReport = {
  ...{ in: none(), out: none(), rateIn: 0, rateOut: 0, lagMs: 0, serial: 0, txPort: 0 },
  ...{ lastChangeAtMs: 0, synchronizing: 0, provider: null, providerDigest: "", subscribers: [] },
  replica: { state: "leader", done: 0, of: 0 },
  group: null,
  archive: null,
  logBytes: 0,
  flushes: null,
  halted: { in: false, out: false },
  throttle: { bytes: null, opcodes: null, operations: null, transactions: null },
};

const TEXT_BYTES = 2 ** 16;
const Word = { Turn: 0, Length: 1, AdminPort: 2 } as const;
const HEAD_BYTES = 12;

/** One report in shared memory, written by one thread, and the port that readers set. */
export class TrafficCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  /** The last report read, and its turn. */
  #read = { turn: 0, report: NO_TRAFFIC };

  constructor(buffer = new SharedArrayBuffer(HEAD_BYTES + TEXT_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, 3);
    this.#bytes = new Uint8Array(buffer, HEAD_BYTES);
  }

  /** 0: no server is running. */
  get adminPort(): number {
    return Atomics.load(this.#words, Word.AdminPort);
  }

  set adminPort(port: number) {
    Atomics.store(this.#words, Word.AdminPort, port);
  }

  write(shown: TrafficReport): void {
    const text = Buffer.from(JSON.stringify(shown));
    if (text.length > TEXT_BYTES) return;
    // Seqlock: odd while the report is being written.
    Atomics.add(this.#words, Word.Turn, 1);
    this.#bytes.set(text);
    Atomics.store(this.#words, Word.Length, text.length);
    Atomics.add(this.#words, Word.Turn, 1);
  }

  read(): TrafficReport {
    for (;;) {
      const turn = Atomics.load(this.#words, Word.Turn);
      if (turn === this.#read.turn) return this.#read.report;
      const length = Atomics.load(this.#words, Word.Length);
      const text = Buffer.from(this.#bytes.subarray(0, length)).toString();
      const isWhole = turn % 2 === 0 && Atomics.load(this.#words, Word.Turn) === turn;
      if (!isWhole) continue;
      this.#read = { turn, report: JSON.parse(text) as TrafficReport };
      return this.#read.report;
    }
  }
}

/** Exceeds the interval between messages of a provider. */
const SILENCE_MS = 5_000;
/** Minimum interval for a meaningful rate. */
const MIN_RATE_MS = 500;

export class Traffic {
  readonly in = none();
  readonly out = none();
  /** Null: not a replica, or the lag is not known yet. */
  #caughtUp: { readonly lagMs: number; readonly at: number } | null = null;
  serial = 0;
  txPort = 0;
  provider: string | null = null;
  providerDigest = "";
  readonly #changed: () => void;
  #synchronizing = 0;
  #lastChangeAtMs = 0;
  #rates = { in: 0, out: 0 };
  #before = { in: 0, out: 0, serial: 0, at: performance.now() };

  /** @param changed publishes the report at once, when a snapshot transfer starts or ends */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  get synchronizing(): number {
    return this.#synchronizing;
  }

  set synchronizing(graphs: number) {
    this.#synchronizing = graphs;
    this.#changed();
  }

  /** Counts a sent or received frame. */
  count(sums: Sums, bytes: number, transactions: number, records: number): void {
    sums.bytes += bytes;
    sums.transactions += transactions;
    sums.records += records;
    sums.frames++;
  }

  /**
   * Reports that a replica has all changes of its provider until `lagMs` ago; null: no provider.
   */
  setCaughtUp(lagMs: number | null): void {
    this.#caughtUp = lagMs === null ? null : { lagMs, at: performance.now() };
  }

  /**
   * Replication lag. It does not grow while the provider reports that the replica lacks nothing.
   */
  get lagMs(): number {
    if (this.#caughtUp === null) return 0;
    const silentMs = performance.now() - this.#caughtUp.at;
    return Math.round(this.#caughtUp.lagMs + (silentMs > SILENCE_MS ? silentMs : 0));
  }

  /** Returns the current report; called about once a second and on changes. */
  shown(): Omit<TrafficReport, AddedMembers> {
    const at = performance.now();
    if (at - this.#before.at >= MIN_RATE_MS) this.#measure(at);
    const { in: input, out, lagMs, serial, txPort, synchronizing, provider, providerDigest } = this;
    const lastChangeAtMs = this.#lastChangeAtMs;
    const { in: rateIn, out: rateOut } = this.#rates;
    return {
      ...{ in: input, out, rateIn, rateOut, lagMs, serial, txPort, lastChangeAtMs },
      ...{ synchronizing, provider, providerDigest },
    };
  }

  #measure(at: number): void {
    const before = this.#before;
    const now = { in: this.in.bytes, out: this.out.bytes };
    const seconds = (at - before.at) / 1000;
    this.#rates = {
      in: Math.round((now.in - before.in) / seconds),
      out: Math.round((now.out - before.out) / seconds),
    };
    if (this.serial !== before.serial) this.#lastChangeAtMs = nowMs();
    this.#before = { ...now, serial: this.serial, at };
  }
}
