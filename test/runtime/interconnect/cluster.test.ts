// A provider, two direct subscribers and one chained subscriber in one process, under all faults:
// power losses, disk failures, connections that are cut or corrupted. Without further faults all of
// them converge to equal contents.
//
// SVC_CLUSTERS=200 for a long run, SEED=n to repeat one.
// limit: 240 s
// takes 3 s

import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import { Random, SEED } from "../../property/support/random.js";
import { Instance, same } from "./support/instance.js";
import { SimulatedDisk } from "./support/simulated-disk.js";
import { TxProxy } from "./support/tx-proxy.js";

const CLUSTERS = Number(process.env.SVC_CLUSTERS ?? 2);
const STEPS = 40;
const GRAPHS = ["g", "h"] as const;

const test = suite("cluster");

/** An instance that restarts. */
class Member {
  readonly #folder: string;
  readonly #name: string;
  readonly #random: Random;
  readonly #txPort: number | null;
  readonly #attach: readonly string[];
  #lives = 0;
  #disk = new SimulatedDisk();
  now!: Instance;

  constructor(
    folder: string,
    name: string,
    random: Random,
    txPort: number | null,
    links: readonly TxProxy[],
  ) {
    this.#folder = folder;
    this.#name = name;
    this.#random = random;
    this.#txPort = txPort;
    this.#attach = links.map(({ address }) => address);
  }

  get isReplica(): boolean {
    return this.#txPort !== null;
  }

  async start(): Promise<void> {
    const root = join(this.#folder, `${this.#name}${this.#lives}`);
    const options = { txPort: this.#txPort, attach: this.#attach, disk: this.#disk };
    this.now = await Instance.start(root, options);
    // Plugins open graphs at any time.
    for (const name of GRAPHS) if (this.#random.below(2) === 0) this.now.store(name);
  }

  async restart(): Promise<void> {
    await this.now.stop();
    await this.start();
  }

  async losePower(): Promise<void> {
    this.#disk.faults.before = () => {
      throw new Error("the power is lost");
    };
    await this.now.stop();
    delete this.#disk.faults.before;
    this.#disk.losePower(this.#random);
    await this.start();
  }

  async loseDisk(): Promise<void> {
    await this.now.stop();
    this.#disk = new SimulatedDisk();
    this.#lives++;
    await this.start();
  }
}

function change(instance: Instance, random: Random): void {
  const graph = instance.graph(random.of(GRAPHS));
  const id = (): string => `v${random.below(30)}`;
  for (let remaining = 1 + random.below(20); remaining > 0; remaining--) {
    const vertexId = id();
    const choice = random.below(10);
    if (choice < 4) graph.connect(vertexId, ["to", 5, random.below(1000)], id());
    else if (choice < 6 && !graph.hasVertex(vertexId)) {
      graph.createVertex(vertexId, { type: `t${random.below(3)}` });
    } else if (choice < 8) {
      graph.createVertex(vertexId, { properties: { n: random.below(100), text: `é ${vertexId}` } });
    } else if (choice === 8) graph.deleteVertex(vertexId);
    else if (graph.hasVertex(vertexId)) graph.disconnect(vertexId);
  }
}

async function ports(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  const freePorts = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return freePorts;
}

async function step(members: readonly Member[], links: readonly TxProxy[], random: Random) {
  const member = random.of(members);
  const choice = random.below(24);
  if (choice < 12) change(members[0]!.now, random);
  else if (choice < 14) random.of(links).cut();
  else if (choice < 16) random.of(links).damage();
  else if (choice === 16) random.of(links).delayMs = random.below(20);
  else if (choice === 17) await member.now.save();
  else if (choice === 18) await member.restart();
  else if (choice < 21) await member.losePower();
  else if (choice === 21) {
    if (member.isReplica) await member.loseDisk();
  } else await member.now.control({ do: random.of(["suspend", "resume"]), what: "input" });
  await delay(random.below(20));
}

async function simulate(seed: number): Promise<void> {
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), "svc-cluster-"));
  const [b, c, d] = (await ports(3)) as [number, number, number];
  const links = await Promise.all([b, c, d].map((port) => TxProxy.start(port, random)));
  const members = [
    new Member(folder, "a", random, null, links.slice(0, 2)),
    new Member(folder, "b", random, b, links.slice(2)),
    new Member(folder, "c", random, c, []),
    new Member(folder, "d", random, d, []),
  ];
  try {
    for (const member of members) await member.start();
    for (let remaining = STEPS; remaining > 0; remaining--) await step(members, links, random);
    for (const link of links) link.heal();
    for (const { now } of members) await now.control({ do: "resume", what: "input" });
    const [provider, ...replicas] = members.map(({ now }) => now);
    for (const name of GRAPHS) {
      provider!.graph(name).createVertex("last");
      for (const replica of replicas) await same(provider!, replica, name);
    }
  } catch (error) {
    const logs = members.map(({ now }) => now?.log).join("\n---\n");
    throw new Error(`seed ${seed}: ${(error as Error).stack}\n${logs}`);
  } finally {
    for (const { now } of members) await now?.stop();
    for (const link of links) link.stop();
    rmSync(folder, { recursive: true });
  }
}

for (let index = 0; index < CLUSTERS; index++) {
  const seed = (SEED + index) >>> 0;
  test(`all instances converge to the same graphs, seed ${seed}`, () => simulate(seed));
}

test.run();
