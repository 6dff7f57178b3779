// Replication through a stream of a real broker: replicas that start empty or were away converge,
// whatever happens to the broker. Needs `nats-server`, or its path in NATS_SERVER.
// limit: 240 s
// starts processes
// takes 50 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JetStreamLog } from "../../../runtime/interconnect/stream/jetstream-log.js";
import { parseStreamAddress } from "../../../runtime/interconnect/stream/jetstream-transport.js";
import { Random } from "../../property/support/random.js";
import { rounds } from "../../support/rounds.js";
import { Instance, same, until } from "./support/instance.js";
import { NatsServers, natsVersion } from "./support/nats.js";
import { TxProxy } from "./support/tx-proxy.js";

const KILLS = rounds(2);

const version = natsVersion();
if (version === null) console.log("streams: skipped (no nats-server; see NATS_SERVER)");

const test = suite<{ root: string; instances: Instance[] }>("streams");
let servers: NatsServers | null = null;

test.before(async () => {
  if (version !== null) servers = await NatsServers.start(1);
});
test.after(async () => servers?.stop());
test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-stream-"));
  context.instances = [];
});
test.after.each(async ({ root, instances }) => {
  for (const instance of instances) await instance.stop();
  rmSync(root, { recursive: true, force: true });
});

type Options = Parameters<typeof Instance.start>[1];
interface Context {
  readonly root: string;
  instances: Instance[];
}

async function start({ root, instances }: Context, name: string, options: Options) {
  const instance = await Instance.start(join(root, name), options);
  instances.push(instance);
  return instance;
}

async function stop({ instances }: Context, instance: Instance): Promise<void> {
  instances.splice(instances.indexOf(instance), 1);
  await instance.stop();
}

function write(instance: Instance, from: number, count: number, name = "g"): void {
  const graph = instance.graph(name);
  for (let n = from; n < from + count; n++) {
    graph.createVertex(`v${n}`, { properties: { n, text: "é".repeat(n % 50) } });
    graph.connect("all", ["has", 5, n], `v${n}`);
    if (n % 7 === 0) graph.deleteVertex(`v${n - 1}`);
  }
}

async function fence(instance: Instance): Promise<void> {
  await instance.control({ do: "fence", timeoutMs: 60_000 });
}

if (version !== null) {
  test("feeds several replicas that start empty or come back", async (context) => {
    const stream = servers!.uri("MANY");
    const provider = await start(context, "one", { publishStream: stream });
    write(provider, 0, 200);
    const two = await start(context, "two", { followStream: stream });
    const three = await start(context, "three", { followStream: stream });
    await same(provider, two);
    await same(provider, three);
    assert.throws(() => write(two, 1000, 1), /readonly|SVC/i);
    await stop(context, two);
    write(provider, 200, 200);
    write(provider, 0, 100, "h");
    const restartedInstance = await start(context, "two", { followStream: stream });
    await same(provider, restartedInstance);
    await same(provider, restartedInstance, "h");
    await same(provider, three, "h");
    await until(
      () => restartedInstance.shown.provider?.startsWith("nats:") === true,
      () => restartedInstance.log,
    );
  });

  test("sends its state to replicas after each change", async (context) => {
    const stream = servers!.uri("STATE");
    const provider = await start(context, "one", { publishStream: stream });
    const two = await start(context, "two", { followStream: stream });
    const states = new Set<string>([""]);
    for (let n = 0; n < 3; n++) {
      write(provider, n, 1);
      await same(provider, two);
      await until(
        () => !states.has(two.shown.providerDigest),
        () => two.log,
      );
      states.add(two.shown.providerDigest);
    }
  });

  test("resumes a provider at the end of the stream", async (context) => {
    const stream = servers!.uri("BACK");
    const provider = await start(context, "one", { publishStream: stream });
    write(provider, 0, 50);
    await fence(provider);
    await stop(context, provider);
    const restartedInstance = await start(context, "one", { publishStream: stream });
    const two = await start(context, "two", { followStream: stream });
    write(restartedInstance, 50, 50);
    await same(restartedInstance, two);
    const tables = two.log.match(/following .*\(\d+ graphs\)/g) ?? [];
    assert.is(tables.length, 1, two.log);
  });

  test("splits transactions larger than a broker message, even in a sync", async (context) => {
    const stream = servers!.uri("LARGE");
    const provider = await start(context, "one", { publishStream: stream });
    const texts = Array.from({ length: 24 }, (_none, n) => {
      return [`text${n}`, "x".repeat(130_000)];
    });
    provider.graph().createVertex("big", { properties: Object.fromEntries(texts) });
    const two = await start(context, "two", { followStream: stream });
    await same(provider, two);
    await provider.control({ do: "sync", repair: "all", timeoutMs: 60_000 });
    write(provider, 0, 10);
    await same(provider, two);
  });

  test("resends what a broker has lost", async (context) => {
    const lossy = await NatsServers.start(1);
    try {
      const stream = lossy.uri("LOST");
      const provider = await start(context, "one", { publishStream: stream });
      const two = await start(context, "two", { followStream: stream });
      write(provider, 0, 100);
      await same(provider, two);
      await lossy.kill(0);
      await until(
        () => /SVC3365: .* \(nats:.*LOST; tried again\)/.test(provider.log),
        () => provider.log,
      );
      lossy.forget(0);
      write(provider, 100, 100);
      await lossy.revive(0);
      await same(provider, two);
      const three = await start(context, "three", { followStream: stream });
      await same(provider, three);
    } finally {
      await lossy.stop();
    }
  });

  test("sends a change at once that arrives during a flush", async (context) => {
    const [port] = /\d+(?=\/)/.exec(servers!.uri("SLOW"))!;
    const proxy = await TxProxy.start(Number(port), new Random(1));
    try {
      const provider = await start(context, "one", {
        publishStream: `nats://${proxy.address}/SLOW`,
      });
      write(provider, 0, 1);
      await fence(provider);
      proxy.delayMs = 50;
      let late = 0;
      for (let n = 1; n < 20; n += 2) {
        write(provider, n, 1);
        await provider.isFlushed();
        write(provider, n + 1, 1);
        const begun = performance.now();
        await fence(provider);
        if (performance.now() - begun > 1000) late++;
      }
      assert.ok(late < 5, `${late} of 10 came with the next look only`);
    } finally {
      proxy.stop();
    }
  });

  test("refuses to write to the stream of another instance", async (context) => {
    const stream = servers!.uri("OWNED");
    const provider = await start(context, "one", { publishStream: stream });
    write(provider, 0, 10);
    await fence(provider);
    const second = await start(context, "other", { publishStream: stream });
    write(second, 0, 5);
    await until(
      () => second.log.includes("SVC3363"),
      () => second.log,
    );
    assert.match(second.log, /OWNED contains the transactions of another instance/);
    await stop(context, provider);
    // A copy of an earlier state must not continue as if nothing had followed.
    const log = await JetStreamLog.open(parseStreamAddress(stream), false);
    const state = (await log.readLastState())!;
    assert.ok(state.reached !== null && state.reached.sn > 0);
    const beyond = { ...state, reached: { sn: state.reached!.sn + 5, chain: 1 } };
    await log.append("data", { part: 1, parts: 1, bytes: Buffer.alloc(4) }, beyond);
    await log.close();
    const restartedInstance = await start(context, "one", { publishStream: stream });
    await until(
      () => restartedInstance.log.includes("SVC3364"),
      () => restartedInstance.log,
    );
  });

  test("continues the stream after a promotion and fences the former provider", async (context) => {
    const stream = servers!.uri("TAKEN");
    const provider = await start(context, "one", { publishStream: stream });
    write(provider, 0, 50);
    const two = await start(context, "two", { followStream: stream });
    const three = await start(context, "three", { followStream: stream });
    await same(provider, two);
    await same(provider, three);
    await stop(context, provider);
    await two.control({ do: "promote" });
    await two.control({ do: "attach", uri: stream });
    write(two, 50, 50);
    await same(two, three);
    const back = await start(context, "one", { publishStream: stream });
    await until(
      () => back.log.includes("SVC2535"),
      () => back.log,
    );
  });

  test("refuses durable on servers that do not flush first", async (context) => {
    const query = `?replicas=3&durable=true&monitor=${servers!.monitors}`;
    const few = parseStreamAddress.bind(null, servers!.uri("DURABLE", query));
    assert.throws(few, /durable needs monitor=host:port of each of the 3 servers/);
    const three = await NatsServers.start(3);
    try {
      const uri = three.uri("DURABLE", `?replicas=3&durable=true&monitor=${three.monitors}`);
      const provider = await start(context, "one", { publishStream: uri });
      write(provider, 0, 1);
      await until(
        () => provider.log.includes("SVC3362"),
        () => provider.log,
      );
      assert.match(provider.log, /SVC3362: durable: server at 127.0.0.1:\d+ does not fsync/);
      await chaos(context, three);
    } finally {
      await three.stop();
    }
  });
}

// Only these can be configured to flush first.
const [major = 0, minor = 0] = version ?? [];
if (major > 2 || (major === 2 && minor >= 10)) {
  test("accepts durable when each of three servers flushes first", async (context) => {
    const three = await NatsServers.start(3, "sync_interval: always");
    try {
      const uri = three.uri("FLUSHED", `?replicas=3&durable=true&monitor=${three.monitors}`);
      const provider = await start(context, "one", { publishStream: uri });
      write(provider, 0, 50);
      await fence(provider);
      const two = await start(context, "two", { followStream: uri });
      await same(provider, two);
      await three.kill(await three.leader("FLUSHED"));
      write(provider, 50, 50);
      await same(provider, two);
      assert.not.match(provider.log + two.log, /SVC3362/);
    } finally {
      await three.stop();
    }
  });
}

/** The leader is killed repeatedly while a provider writes: no acknowledged transaction is lost. */
async function chaos(context: Context, three: NatsServers): Promise<void> {
  const stream = three.uri("CHAOS", "?replicas=3");
  const provider = await start(context, "chaos-one", { publishStream: stream });
  const two = await start(context, "chaos-two", { followStream: stream });
  write(provider, 0, 20);
  await fence(provider);
  let written = 20;
  for (let kills = 0; kills < KILLS; ) {
    const leader = await three.leader("CHAOS");
    if (leader < 0) {
      await delay(100);
      continue;
    }
    for (let n = 0; n < 20; n++, written += 5) {
      write(provider, written, 5);
      if (n === 10) await three.kill(leader);
      await delay(10);
    }
    kills++;
    await fence(provider);
    await three.revive(leader);
  }
  await same(provider, two);
  const three3 = await start(context, "chaos-three", { followStream: stream });
  await same(provider, three3);
}

test.run();
