// The packages of NATS with one stream in memory, for rare behavior of a server.

import type { MsgHdrs } from "@nats-io/transport-node";
import {
  type NatsPackages,
  natsPackages,
} from "../../../../runtime/interconnect/stream/jetstream-log.js";

interface Stored {
  readonly seq: number;
  readonly subject: string;
  /** Undefined: a message of another program. */
  readonly header: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

export class MemoryJetStream {
  /** Settings of the stream; null: it is missing. */
  config: Record<string, unknown> | null = null;
  messages: Stored[] = [];
  lastSeq = 0;
  maxPayload: number | undefined = 2 ** 20;
  /** Options of each connection. */
  readonly connections: Record<string, unknown>[] = [];
  closed = 0;
  /** Called before each request; throws to make it fail. */
  requested: (request: string) => void = () => undefined;
  /** Of the last consumer. */
  tell: (type: string) => void = () => undefined;
  isReading = false;

  get packages(): NatsPackages {
    const real = natsPackages();
    const connect = async (options: Record<string, unknown>) => {
      this.connections.push(options);
      let isClosed = false;
      const close = async (): Promise<void> => {
        isClosed = true;
        this.closed++;
      };
      const info = this.maxPayload === undefined ? undefined : { max_payload: this.maxPayload };
      return { info, isClosed: () => isClosed, close };
    };
    const manager = { jetstream: () => this.#client(), streams: this.#streams() };
    return {
      transport: { ...real.transport, connect },
      jetstream: { ...real.jetstream, jetstreamManager: async () => manager },
    } as unknown as NatsPackages;
  }

  add(subject: string, header: MsgHdrs | undefined, data: Uint8Array): Stored {
    const stored = { seq: ++this.lastSeq, subject, header, data: Uint8Array.from(data) };
    this.messages.push(stored);
    return stored;
  }

  #streams() {
    return {
      info: async () => {
        this.requested("info");
        if (this.config === null) throw Object.assign(new Error("none"), { code: 404 });
        const state = { messages: this.messages.length, last_seq: this.lastSeq };
        return { config: this.config, state };
      },
      add: async (config: Record<string, unknown>) => {
        this.requested("add");
        this.config = config;
      },
      getMessage: async (_name: string, query: { seq?: number; last_by_subj?: string }) => {
        this.requested("get");
        const { seq, last_by_subj: subject } = query;
        return (
          this.messages.findLast((message) => message.seq === seq || message.subject === subject) ??
          null
        );
      },
      purge: async (_name: string, { seq }: { seq: number }) => {
        this.requested(`purge ${seq}`);
        this.messages = this.messages.filter((message) => message.seq >= seq);
      },
    };
  }

  #client() {
    return {
      publish: async (subject: string, data: Uint8Array, options: Record<string, unknown>) => {
        this.requested("publish");
        const { headers, expect } = options as {
          headers: MsgHdrs;
          expect: { lastSequence: number };
        };
        if (expect.lastSequence !== this.lastSeq) throw new Error("wrong last sequence");
        return { seq: this.add(subject, headers, data).seq };
      },
      consumers: {
        get: async (_name: string, { opt_start_seq: from }: { opt_start_seq: number }) => ({
          consume: async () => this.#consume(from),
        }),
      },
    };
  }

  #consume(from: number) {
    const waiting: (() => void)[] = [];
    const replies: string[] = [];
    const wake = (): void => {
      for (const run of waiting.splice(0)) run();
    };
    let isOver = false;
    this.isReading = true;
    this.tell = (type) => {
      replies.push(type);
      wake();
    };
    const changed = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    const stored = () => this.messages.filter(({ seq }) => seq >= from);
    return {
      stop: () => {
        isOver = true;
        this.isReading = false;
        wake();
      },
      async *status() {
        for (;;) {
          const type = replies.shift();
          if (type !== undefined) yield { type };
          else if (isOver) return;
          else await changed();
        }
      },
      async *[Symbol.asyncIterator]() {
        for (const { header: headers, data } of stored()) yield { headers, data };
        while (!isOver) await changed();
      },
    };
  }
}
