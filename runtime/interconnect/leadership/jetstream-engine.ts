// Leadership engine on a stream of NATS JetStream: one message per record, replaced only if it is
// still the last one of its subject. The leader of the stream serves all reads.
//
//   nats://host:port[,host:port...]/NAME[?replicas=3]

import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { SvcError } from "../../base/errors.js";
import { isNotFound, type NatsPackages, natsPackages } from "../stream/jetstream-log.js";
import { parseStreamAddress } from "../stream/jetstream-transport.js";
import type { LeadershipEngine, TextReading } from "./leadership.js";

/** Error code of the broker: another message was published since the expected one. */
const WRONG_LAST_SEQUENCE = 10071;
const ABSENT = "0";

interface Open {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
}

export class JetStreamEngine implements LeadershipEngine {
  readonly #packages: NatsPackages;
  readonly #address: ReturnType<typeof parseStreamAddress>;
  readonly #name: string;
  readonly #timeoutMs: number;
  #open: Promise<Open> | null = null;

  /** @throws SvcError SVC3400 */
  constructor(uri: string, name: string, timeoutMs: number) {
    this.#address = parseAddress(uri);
    this.#packages = packages();
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<TextReading> {
    const { manager } = await this.#connected();
    try {
      const query = { last_by_subj: this.#subject };
      const message = await manager.streams.getMessage(this.#address.name, query);
      if (message === null) return { revision: ABSENT, text: null };
      return { revision: String(message.seq), text: message.string() };
    } catch (error) {
      if (isNotFound(error)) return { revision: ABSENT, text: null };
      throw error;
    }
  }

  async swap(revision: string, text: string): Promise<string | null> {
    const { manager } = await this.#connected();
    const expect = { lastSubjectSequence: Number(revision) };
    const options = { expect, timeout: this.#timeoutMs, retries: 1 };
    try {
      const { seq } = await manager.jetstream().publish(this.#subject, text, options);
      return String(seq);
    } catch (error) {
      if ((error as { code?: unknown }).code === WRONG_LAST_SEQUENCE) return null;
      throw error;
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await (await open?.catch(() => null))?.connection.close();
  }

  get #subject(): string {
    return `${this.#address.name}.${Buffer.from(this.#name).toString("hex")}`;
  }

  #connected(): Promise<Open> {
    this.#open ??= this.#connect().catch((error) => {
      this.#open = null;
      throw error;
    });
    return this.#open;
  }

  async #connect(): Promise<Open> {
    const { jetstream, transport } = this.#packages;
    const { name, servers } = this.#address;
    const timeout = this.#timeoutMs;
    const connection = await transport.connect({
      ...{ servers: [...servers], name: `svc ${name}`, timeout },
      // After a failure of this server, another one leads the stream.
      ...{ reconnect: true, maxReconnectAttempts: -1, reconnectTimeWait: timeout / 4 },
      ...(process.env.SVC_NATS_TOKEN && { token: process.env.SVC_NATS_TOKEN }),
    });
    try {
      const manager = await jetstream.jetstreamManager(connection, { timeout });
      await this.#createStream(manager);
      return { connection, manager };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #createStream(manager: JetStreamManager): Promise<void> {
    const { name, replicas } = this.#address;
    try {
      await manager.streams.info(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await manager.streams.add({
        ...{ name, num_replicas: replicas, subjects: [`${name}.*`], max_msgs_per_subject: 1 },
        ...{ storage: this.#packages.jetstream.StorageType.File, allow_direct: false },
      });
    }
  }
}

/** @throws SvcError SVC3400 */
function parseAddress(uri: string): ReturnType<typeof parseStreamAddress> {
  try {
    return parseStreamAddress(uri);
  } catch (error) {
    const form = "nats://host:port[,host:port...]/NAME[?replicas=3]";
    const text = `leadership: ${(error as Error).message}; write \`engine: "${form}"\``;
    throw new SvcError("SVC3400", text, { cause: error });
  }
}

/** @throws SvcError SVC3400 */
function packages(): NatsPackages {
  try {
    return natsPackages();
  } catch (error) {
    const text =
      `leadership: ${(error as Error).message}; add it to the project with ` +
      "`npm install @nats-io/jetstream@3.3.1 @nats-io/transport-node@3.3.1`";
    throw new SvcError("SVC3400", text, { cause: error });
  }
}
