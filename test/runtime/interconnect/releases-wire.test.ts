// Replication with earlier releases: messages of their providers and subscribers are replayed to
// instances of this release. MAKE_RELEASE=0.2.0 records those of this code.
// limit: 60 s

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  encodeMessage,
  type Message,
  MessageReader,
  MessageType,
} from "../../../runtime/interconnect/wire/messages.js";
import { type Role, SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { graphContent } from "../graph/support/graph-content.js";
import { freePort, type Instance, same, until } from "./support/instance.js";
import { begin, type InstancesContext, withInstances } from "./support/instances.js";

const test = suite<InstancesContext>("wire of releases");
withInstances(test);

const FOLDER = fileURLToPath(new URL("../../fixtures/wire/", import.meta.url));
const KEY = new SharedKey(null);
const HEADER_BYTES = 16;
const { Hello, Proof, Alive } = MessageType;
const SKIPPED: readonly number[] = [Hello, Proof, Alive];

/** Bytes that each end of a connection has sent, in base64. */
interface Wire {
  readonly provider: string;
  readonly subscriber: string;
  readonly content: unknown;
}

/** Vertices and arcs: replicas differ in the rest. */
function plainContent(instance: Instance): unknown {
  const { vertices } = graphContent(instance.store()) as { readonly vertices: unknown };
  return JSON.parse(JSON.stringify(vertices));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Replicates through a connection that is recorded. */
async function record(context: InstancesContext): Promise<Wire> {
  const txPort = await freePort();
  const sent = { provider: [] as Buffer[], subscriber: [] as Buffer[] };
  const server = createServer((nearSocket) => {
    const farSocket = connect(txPort, "127.0.0.1");
    nearSocket.on("data", (bytes: Buffer) => sent.provider.push(bytes)).pipe(farSocket);
    farSocket.on("data", (bytes: Buffer) => sent.subscriber.push(bytes)).pipe(nearSocket);
    for (const socket of [nearSocket, farSocket]) socket.on("error", () => undefined);
  });
  const replica = await begin(context, "replica", { txPort });
  const provider = await begin(context, "provider");
  const fill = (from: number): void => {
    for (let index = from; index < from + 10; index++) {
      const properties = { at: index, text: `text ${index}`, list: [index, index + 1], none: null };
      provider.graph().createVertex(`v${index}`, { type: "thing", properties });
      provider.graph().connect(`v${index}`, ["near", 5, index], "hub");
    }
  };
  fill(0);
  await provider.save();
  await provider.save();
  await provider.control({ do: "attach", uri: `127.0.0.1:${await listen(server)}` });
  await same(provider, replica);
  fill(10);
  await same(provider, replica);
  server.close();
  const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString("base64");
  const content = plainContent(provider);
  return { provider: text(sent.provider), subscriber: text(sent.subscriber), content };
}

/** Returns the whole messages of recorded bytes. */
function split(text: string): Buffer[] {
  const bytes = Buffer.from(text, "base64");
  const messages: Buffer[] = [];
  for (let offset = 0; offset + HEADER_BYTES <= bytes.length; ) {
    const end = offset + HEADER_BYTES + bytes.readUInt32LE(offset + 8);
    if (end <= bytes.length) messages.push(bytes.subarray(offset, end));
    offset = end;
  }
  return messages;
}

const messageType = (message: Buffer): number => message.readUInt32LE(4) & 0xff;

/** Replays the recorded bytes of one end; proofs are computed for the live other end. */
class Player {
  readonly received: number[] = [];
  readonly #socket: Socket;
  readonly #role: Role;
  readonly #messages: Buffer[];
  readonly #nonce: string;
  readonly #hello: Buffer;

  constructor(socket: Socket, role: Role, recorded: string) {
    const [hello, ...rest] = split(recorded);
    const greeting = JSON.parse(hello!.subarray(HEADER_BYTES).toString());
    const node = Number(process.versions.node.split(".")[0]);
    this.#socket = socket;
    this.#role = role;
    this.#nonce = greeting.nonce;
    this.#hello = encodeMessage(Hello, Buffer.from(JSON.stringify({ ...greeting, node })));
    this.#messages = rest.filter((message) => !SKIPPED.includes(messageType(message)));
    const reader = new MessageReader();
    if (role === "provider") socket.write(this.#hello);
    socket
      .on("error", () => undefined)
      .on("data", (bytes: Buffer) => {
        for (const message of reader.read(bytes)) this.#take(message, reader);
      });
  }

  #take({ type, body }: Message, reader: MessageReader): void {
    this.received.push(type);
    if (type === Hello) {
      const nonce = Buffer.from(JSON.parse(body.toString()).nonce, "hex");
      const ownNonce = Buffer.from(this.#nonce, "hex");
      const isProvider = this.#role === "provider";
      const nonces = isProvider ? ([ownNonce, nonce] as const) : ([nonce, ownNonce] as const);
      if (!isProvider) this.#socket.write(this.#hello);
      this.#socket.write(encodeMessage(Proof, KEY.createProof(this.#role, ...nonces)));
    } else if (type === Proof) {
      reader.trust();
      for (const message of this.#messages) this.#socket.write(message);
    }
  }
}

const { MAKE_RELEASE } = process.env;
if (MAKE_RELEASE !== undefined) {
  test("writes the fixture of this release", async (context) => {
    const wire = JSON.stringify(await record(context));
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${MAKE_RELEASE}.json.gz`), gzipSync(wire, { level: 9 }));
  });
}

for (const name of readdirSync(FOLDER)) {
  const wire = JSON.parse(gunzipSync(readFileSync(join(FOLDER, name))).toString()) as Wire;

  test(`follows a provider of ${name}`, async (context) => {
    const txPort = await freePort();
    const replica = await begin(context, "a", { txPort });
    const socket = connect(txPort, "127.0.0.1");
    new Player(socket, "provider", wire.provider);
    await until(
      () => JSON.stringify(plainContent(replica)) === JSON.stringify(wire.content),
      () => replica.log,
    );
    socket.destroy();
  });

  test(`provides a subscriber of ${name}`, async (context) => {
    const players: Player[] = [];
    const server = createServer((socket) => {
      players.push(new Player(socket, "subscriber", wire.subscriber));
    });
    const instance = await begin(context, "a", { attach: [`127.0.0.1:${await listen(server)}`] });
    instance.graph().createVertex("x");
    await until(
      () => players[0]?.received.includes(MessageType.Frame) === true,
      () => `${instance.log} ${players[0]?.received.join()}`,
    );
    assert.ok(players[0]!.received.includes(MessageType.Table));
    server.close();
  });
}

for (const [protocol, oldest, isWelcome] of [
  [3, 3, false],
  [9, 5, false],
  [9, 4, true],
] as const) {
  test(`responds to a provider of protocols ${oldest} to ${protocol}`, async (c) => {
    const txPort = await freePort();
    const replica = await begin(c, "a", { txPort });
    const socket = connect(txPort, "127.0.0.1").on("error", () => undefined);
    const node = Number(process.versions.node.split(".")[0]);
    const hello = { protocol, oldest, nonce: "0".repeat(64), node };
    socket.write(encodeMessage(Hello, Buffer.from(JSON.stringify(hello))));
    const [reader, messages] = [new MessageReader(), [] as Message[]];
    socket.on("data", (bytes: Buffer) => messages.push(...reader.read(bytes)));
    const last = isWelcome ? Proof : MessageType.Refusal;
    await until(
      () => messages.at(-1)?.type === last,
      () => replica.log,
    );
    const text = /one end speaks protocols \d to \d, the other 4 to 4: install the same release/;
    assert.is(text.test(messages.at(-1)!.body.toString()), !isWelcome);
    assert.is(text.test(replica.log), !isWelcome);
    socket.destroy();
  });
}

test.run();
