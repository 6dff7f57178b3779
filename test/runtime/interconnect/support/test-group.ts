// A group of instances in this process that choose their leader by an engine in memory.

import { freePort, type Instance, until } from "./instance.js";
import { begin, end, type InstancesContext } from "./instances.js";
import { MemoryEngine } from "./memory-engine.js";

export const TTL_MS = 500;

export class TestGroup {
  readonly engine = new MemoryEngine();
  readonly #ports: Readonly<Record<string, number>>;
  readonly #context: InstancesContext;
  readonly instances = new Map<string, Instance>();

  private constructor(context: InstancesContext, ports: Readonly<Record<string, number>>) {
    this.#context = context;
    this.#ports = ports;
  }

  static async create(context: InstancesContext, ids: readonly string[]): Promise<TestGroup> {
    const ports: Record<string, number> = {};
    for (const id of ids) ports[id] = await freePort();
    return new TestGroup(context, ports);
  }

  async start(id: string, folder = id): Promise<Instance> {
    const others = Object.entries(this.#ports).filter(([memberId]) => memberId !== id);
    const members = Object.fromEntries(
      others.map(([memberId, port]) => [memberId, `127.0.0.1:${port}`]),
    );
    const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const };
    const [group = ""] = Object.keys(this.#ports);
    const instance = await begin(this.#context, folder, {
      ...{ txPort: this.#ports[id]!, durability: "full", openEngine: () => this.engine.open(id) },
      leadership: { engine: "memory:", ...rules, group, id, members },
    });
    this.instances.set(id, instance);
    return instance;
  }

  async stop(id: string): Promise<void> {
    await end(this.instances.get(id)!);
    this.instances.delete(id);
  }

  /** The instance that acknowledges changes. */
  async leader(): Promise<readonly [string, Instance]> {
    const find = (): readonly [string, Instance] | undefined =>
      [...this.instances].find(([, { clock }]) => clock.group.role === "leading");
    await until(
      () => find() !== undefined,
      () => this.log,
    );
    return find()!;
  }

  get log(): string {
    const logs = [...this.instances].map(([id, { log, clock }]) => {
      return `${id} ${JSON.stringify(clock.group)}\n${log}`;
    });
    return [JSON.stringify(this.engine.record), ...logs].join("\n---\n");
  }

  async synced(count: number): Promise<void> {
    await until(
      () => this.engine.record?.synced.length === count,
      () => this.log,
    );
  }
}
