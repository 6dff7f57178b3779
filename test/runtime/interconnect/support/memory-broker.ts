// A broker in memory: one stream, appended to by any connection that knows its last message.

import type {
  LogStream,
  ReceivedPart,
  StreamPart,
  StreamState,
} from "../../../../runtime/interconnect/stream/log-stream.js";

interface Entry {
  readonly seq: number;
  readonly kind: "table" | "data";
  readonly part: StreamPart;
  readonly state: StreamState;
}

export class MemoryBroker {
  #entries: Entry[] = [];
  #lastSeq = 0;
  readonly #connections = new Set<{ isClosed: boolean }>();
  #changed: () => void = () => undefined;
  #change = this.#nextChange();

  constructor(readonly maxPartBytes: number) {}

  get parts(): number {
    return this.#entries.length;
  }

  connect(): LogStream {
    const connection = { isClosed: false };
    this.#connections.add(connection);
    let expected = 0;
    return {
      maxPartBytes: this.maxPartBytes,
      get isClosed() {
        return connection.isClosed;
      },
      readLastState: async () => {
        expected = this.#lastSeq;
        return this.#entries.at(-1)?.state ?? null;
      },
      findSnapshotTable: async () =>
        this.#entries.findLast(({ kind }) => kind === "table")?.seq ?? null,
      append: async (kind, part, state) => {
        if (connection.isClosed) throw new Error("connection closed");
        if (expected !== this.#lastSeq) throw new Error("wrong last sequence");
        expected = ++this.#lastSeq;
        const bytes = Uint8Array.from(part.bytes);
        this.#entries.push({ seq: expected, kind, part: { ...part, bytes }, state });
        this.#notify();
        return expected;
      },
      read: (seq) => this.#read(seq, connection),
      truncateHead: async (seq) => {
        this.#entries = this.#entries.filter((entry) => entry.seq >= seq);
      },
      close: async () => {
        connection.isClosed = true;
        this.#notify();
      },
    };
  }

  /** Loses all messages. */
  clear(): void {
    this.#entries = [];
  }

  /** Loses all connections. */
  disconnect(): void {
    for (const connection of this.#connections) connection.isClosed = true;
    this.#connections.clear();
    this.#notify();
  }

  async *#read(
    from: number,
    connection: { readonly isClosed: boolean },
  ): AsyncGenerator<ReceivedPart, void, void> {
    for (let seq = from; !connection.isClosed; ) {
      const change = this.#change;
      const entry = this.#entries.find((candidate) => candidate.seq >= seq);
      if (entry === undefined) {
        await change;
        continue;
      }
      seq = entry.seq + 1;
      yield { ...entry.part, protocol: entry.state.protocol };
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  #notify(): void {
    const changed = this.#changed;
    this.#change = this.#nextChange();
    changed();
  }
}
