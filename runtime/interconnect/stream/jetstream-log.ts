// Copy of the transaction log in a JetStream stream. Each message states the log position that the
// stream reaches with it, so the next writer can resume there. The broker accepts a message only
// if the last one in the stream is the one that the writer expects, so nothing is stored twice and
// two writers cannot interleave.

import { createRequire } from "node:module";
import { join } from "node:path";
import type { ConsumerMessages, JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { SvcError } from "../../base/errors.js";
import type { LogStream, ReceivedPart, StreamPart, StreamState } from "./log-stream.js";

const TIMEOUT_MS = 5_000;
const HINT = "set `jetstream { sync_interval: always }`, which nats-server has as of 2.10";
const PULL_EXPIRES_MS = 5_000;
const HEARTBEAT_MS = 1_000;
const READ_AHEAD_BYTES = 2 ** 23;
const NOT_FOUND = 404;
/** Protocol of messages without `Svc-Protocol`, written by the first release. */
const DEFAULT_PROTOCOL = 4;
const ID = /^[0-9a-f]{32}$/;
const COUNT = /^\d{1,16}$/;

type JetStream = typeof import("@nats-io/jetstream");
type Transport = typeof import("@nats-io/transport-node");

export interface NatsPackages {
  readonly jetstream: JetStream;
  readonly transport: Transport;
}

/** Address and requirements of a stream. */
export interface StreamAddress {
  /** `host:port` of each server to connect to. */
  readonly servers: readonly string[];
  readonly name: string;
  readonly replicas: number;
  /** Require that servers fsync before they acknowledge. */
  readonly isDurable: boolean;
  /** `host:port` of each server's monitoring endpoint. */
  readonly monitors: readonly string[];
  /** Canonical form for messages. */
  readonly uri: string;
}

export class JetStreamLog implements LogStream {
  readonly #packages: NatsPackages;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #name: string;
  #messages: ConsumerMessages | null = null;
  /** Broker sequence of the last message. */
  #lastSeq = 0;

  private constructor(
    packages: NatsPackages,
    connection: NatsConnection,
    manager: JetStreamManager,
    name: string,
  ) {
    this.#packages = packages;
    this.#connection = connection;
    this.#manager = manager;
    this.#client = manager.jetstream();
    this.#name = name;
  }

  /**
   * @param isWriter create the stream if it is missing
   * @throws SvcError SVC3361, SVC3362 if `durable` is required and not met
   */
  static async open(
    address: StreamAddress,
    isWriter: boolean,
    packages = natsPackages(),
  ): Promise<JetStreamLog> {
    const { name, servers, replicas } = address;
    const connection = await packages.transport.connect({
      servers: [...servers],
      name: `svc ${name}`,
      // The caller reconnects, because it must read the state of the stream again.
      reconnect: false,
      timeout: TIMEOUT_MS,
      ...(process.env.SVC_NATS_TOKEN && { token: process.env.SVC_NATS_TOKEN }),
    });
    try {
      const manager = await packages.jetstream.jetstreamManager(connection, {
        timeout: TIMEOUT_MS,
      });
      const log = new JetStreamLog(packages, connection, manager, name);
      if (isWriter) await log.#createStream(replicas);
      if (isWriter && address.isDurable) await log.#checkDurable(address);
      return log;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get maxPartBytes(): number {
    const maxPayload = this.#connection.info?.max_payload ?? 2 ** 20;
    return Math.max(2 ** 12, Math.min(2 ** 19, maxPayload - 2 ** 12));
  }

  get isClosed(): boolean {
    return this.#connection.isClosed();
  }

  async readLastState(): Promise<StreamState | null> {
    const { state } = await this.#manager.streams.info(this.#name);
    this.#lastSeq = state.last_seq;
    if (state.messages === 0) return null;
    const message = await this.#manager.streams.getMessage(this.#name, { seq: state.last_seq });
    const streamState = message === null ? null : parseState(message.header);
    if (streamState !== null) return streamState;
    const text = `stream ${this.#name} contains foreign messages: message ${state.last_seq}`;
    throw new SvcError("SVC3363", text);
  }

  async findSnapshotTable(): Promise<number | null> {
    try {
      const subject = this.#subject("table");
      const query = { last_by_subj: subject };
      return (await this.#manager.streams.getMessage(this.#name, query))?.seq ?? null;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async append(
    kind: "table" | "data",
    { part, parts, bytes }: StreamPart,
    state: StreamState,
  ): Promise<number> {
    const headers = this.#packages.transport.headers();
    headers.set("Svc-Log", state.log);
    headers.set("Svc-Epoch", `${state.epoch}`);
    headers.set("Svc-Protocol", `${state.protocol}`);
    headers.set("Svc-Part", `${part}/${parts}`);
    if (state.reached !== null) {
      headers.set("Svc-Sn", `${state.reached.sn}`);
      headers.set("Svc-Chain", `${state.reached.chain}`);
    }
    const expect = { lastSequence: this.#lastSeq++ };
    const options = { headers, expect, timeout: TIMEOUT_MS, retries: 1 };
    return (await this.#client.publish(this.#subject(kind), bytes, options)).seq;
  }

  async *read(seq: number): AsyncGenerator<ReceivedPart, void, void> {
    const { DeliverPolicy } = this.#packages.jetstream;
    const consumer = await this.#client.consumers.get(this.#name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: seq,
    });
    const messages = await consumer.consume({
      ...{ max_bytes: READ_AHEAD_BYTES, expires: PULL_EXPIRES_MS, idle_heartbeat: HEARTBEAT_MS },
    });
    this.#messages = messages;
    void this.#watch(messages);
    for await (const message of messages) {
      const [part, parts] = parsePart(message.headers);
      yield { part, parts, bytes: message.data, protocol: parseProtocol(message.headers) };
    }
  }

  /** Stops reading if the server of the consumer fails while the connection stays open. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      if (type === "heartbeats_missed") messages.stop();
    }
  }

  async truncateHead(seq: number): Promise<void> {
    // With 0 or 1, a server would purge the whole stream.
    if (seq > 1) await this.#manager.streams.purge(this.#name, { seq });
  }

  async close(): Promise<void> {
    this.#messages?.stop();
    await this.#connection.close();
  }

  async #createStream(replicas: number): Promise<void> {
    const name = this.#name;
    try {
      await this.#manager.streams.info(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { StorageType, RetentionPolicy } = this.#packages.jetstream;
      await this.#manager.streams.add({
        ...{ name, num_replicas: replicas, subjects: [this.#subject("*")] },
        ...{ storage: StorageType.File, retention: RetentionPolicy.Limits },
      });
    }
  }

  /** @throws SvcError SVC3362 */
  async #checkDurable({ replicas, monitors }: StreamAddress): Promise<void> {
    const { config } = await this.#manager.streams.info(this.#name);
    if (config.num_replicas < replicas) {
      const text = `stream ${this.#name} has ${config.num_replicas} replicas, not ${replicas}`;
      throw new SvcError("SVC3362", text);
    }
    await requireDurableServers(monitors, replicas);
  }

  #subject(kind: string): string {
    return `svc.${this.#name}.${kind}`;
  }
}

function parseState(headers: MsgHdrs | undefined): StreamState | null {
  const log = parseId(headers?.get("Svc-Log"));
  const epoch = parseCount(headers?.get("Svc-Epoch"));
  const sn = parseCount(headers?.get("Svc-Sn"));
  const chain = parseCount(headers?.get("Svc-Chain"));
  if (log === null || epoch === null) return null;
  const reached = sn === null || chain === null ? null : { sn, chain };
  return { log, epoch, protocol: parseProtocol(headers), reached };
}

function parsePart(headers: MsgHdrs | undefined): readonly [number, number] {
  const [part, parts] = (headers?.get("Svc-Part") ?? "").split("/").map(parseCount);
  return [part ?? 0, parts ?? 0];
}

function parseProtocol(headers: MsgHdrs | undefined): number {
  return parseCount(headers?.get("Svc-Protocol")) ?? DEFAULT_PROTOCOL;
}

function parseId(text = ""): string | null {
  return ID.test(text) ? text : null;
}

function parseCount(text = ""): number | null {
  return COUNT.test(text) ? Number(text) : null;
}

export function isNotFound(error: unknown): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const { message } = error as Error;
  return code === NOT_FOUND || status === NOT_FOUND || /not found/.test(message);
}

// A broker that acknowledges before fsync loses acknowledged data on power loss. Its monitoring
// endpoint reports how it is configured.

/**
 * Verifies that the servers fsync before they acknowledge. A minority may be unreachable: such a
 * server acknowledges nothing, and the next connection checks it.
 * @throws SvcError SVC3362 if a server acknowledges before fsync, or a majority is unreachable
 */
export async function requireDurableServers(
  monitors: readonly string[],
  replicas: number,
): Promise<void> {
  const failures = await Promise.all(monitors.map(checkServer));
  const unreachable = failures.filter((failure) => failure !== null);
  if (unreachable.length > Math.floor((replicas - 1) / 2)) throw unreachable[0]!;
}

/** Returns why a server is unreachable, or null if it is durable. @throws SvcError SVC3362 */
async function checkServer(monitor: string): Promise<SvcError | null> {
  let isAlways: unknown;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`http://${monitor}/varz`, { signal });
    const varz = (await response.json()) as { jetstream?: { config?: { sync_always?: unknown } } };
    isAlways = varz?.jetstream?.config?.sync_always;
  } catch (error) {
    const { message } = error as Error;
    const text = `durable: http://${monitor}/varz is not readable: ${message}`;
    return new SvcError("SVC3362", text, { cause: error });
  }
  if (isAlways === true) return null;
  throw new SvcError(
    "SVC3362",
    `durable: server at ${monitor} does not fsync before acknowledging: ${HINT}`,
  );
}

// The NATS client packages are optional; they are loaded only if a stream is configured.

/**
 * @param resolveFrom files whose imports are resolved (default: this package, then the project)
 * @throws SvcError SVC3361
 */
export function natsPackages(
  resolveFrom: readonly string[] = [import.meta.url, join(process.cwd(), "package.json")],
): NatsPackages {
  return {
    jetstream: load("@nats-io/jetstream", resolveFrom) as JetStream,
    transport: load("@nats-io/transport-node", resolveFrom) as Transport,
  };
}

function load(name: string, resolveFrom: readonly string[]): unknown {
  let cause: unknown;
  for (const from of resolveFrom) {
    try {
      return createRequire(from)(name);
    } catch (error) {
      cause = error;
    }
  }
  const text = `a stream needs ${name}, which cannot be loaded: ${firstLine(cause)}`;
  throw new SvcError("SVC3361", text, { cause });
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n", 1)[0]!;
}
