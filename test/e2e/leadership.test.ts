// A system that chooses its leader through nats-server: under load, the leader is killed or stands
// still, again and again, it hands over, and the engine is away. Nothing acknowledged is lost or
// doubled. ROUNDS=n causes more faults; AWAY_MS=n is the time without the engine.
// ENGINE=kubernetes uses Leases of an API server that is part of this test.
// limit: 900 s
// takes 40 s
// starts processes

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operate } from "../../cli/admin/remote.js";
import { FakeKubernetes } from "../runtime/interconnect/support/kubernetes.js";
import { NatsServers, natsVersion } from "../runtime/interconnect/support/nats.js";
import { rounds } from "../support/rounds.js";
import {
  Clients,
  during,
  freshName,
  hitcount,
  Load,
  Sales,
  SHOP_PLUGINS,
} from "./support/change-clients.js";
import type { DecodedResponse } from "./support/server.js";
import { LIMIT_MS, UpSystem, until } from "./support/system.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const MEMBERS = ["B1", "S1", "S2"] as const;
const JOB = `
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Job } from "svc-server";

const note = (text: string) => appendFileSync(process.env.NOTES!, process.pid + " " + text + "\\n");

/** Runs for half of its time. @every 1s */
export async function tick(job: Job): Promise<void> {
  note("begins " + job.scheduledAt.toISOString());
  await delay(500);
  note("ends");
}
`;

const INLINE = `
import { type int, type PluginRequest, PluginResponse } from "svc-server";

/** Doubles, on the IO thread. @plugin @inline */
export function double(_request: PluginRequest, n: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = 2 * n;
  return response;
}
`;

const version = natsVersion();
const test = suite("leadership");
const USES_LEASES = process.env.ENGINE === "kubernetes";
let nats: NatsServers | null = null;
let cluster: FakeKubernetes | null = null;
let project: TemporaryProject;
let system: UpSystem;
let notes: string;
const killed = new Set<number>();

interface Note {
  readonly pid: number;
  readonly event: string;
  /** Time for which a run was scheduled. */
  readonly time: string;
}

/** Notes of the job: in order, with the process of the leader. */
function readNotes(): Note[] {
  const lines = existsSync(notes) ? readFileSync(notes, "utf8").trimEnd().split("\n") : [];
  return lines.filter(Boolean).map((line) => {
    const [pid, event = "", time = ""] = line.split(" ");
    return { pid: Number(pid), event, time };
  });
}

/** A killed process has not ended its run: all others ended before the next one began. */
function assertNeverTwiceAtOnce(): void {
  let running: number | null = null;
  for (const { pid, event } of readNotes()) {
    if (event === "ends") running = running === pid ? null : running;
    else {
      assert.ok(running === null || killed.has(running), JSON.stringify(readNotes()));
      running = pid;
    }
  }
}

function descriptor(): ConstructorParameters<typeof UpSystem>[1] {
  const described = {
    graphs: ["shop"],
    common: { "s-in": true },
    leadership: { engine: nats?.uri("svc-lease") ?? "kubernetes" },
    instances: {
      TD: { type: "dispatch", hport: 9990 },
      B1: { type: "builder", hport: 9100, tport: 9102, graph: "shop" },
      S1: { type: "search", hport: 9110, tport: 9112, graph: "shop" },
      S2: { type: "search", hport: 9120, tport: 9122, graph: "shop" },
    },
    topology: { transaction: { B1: ["S1", "S2"] }, dispatch: { TD: [{ partitions: ["@B1"] }] } },
  };
  return described;
}

function send(path: string, init?: RequestInit): Promise<DecodedResponse> {
  return system.get("TD", path, 0, init);
}

/** Requests of an inline plugin, every second one as a change. */
class InlineRequests {
  count = 0;
  readonly failures: string[] = [];
  readonly clients = new Clients(2, async () => {
    const n = this.count++;
    const init = n % 2 === 0 ? {} : { method: "POST", body: "" };
    const response = await send(`/svc/plugin/double?n=${n}`, init);
    const isRight = response.status === 200 && hitcount(response) === 2 * n;
    if (!isRight) this.failures.push(response.text);
  });
}

/** Median, 99th percentile and number of times. */
function summary(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, sorted.length * share) | 0];
  return `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, n ${sorted.length};`;
}

interface GroupState {
  readonly role: string;
  readonly leader: string | null;
  readonly epoch: number;
  readonly synced: readonly string[];
}

interface State {
  readonly group: GroupState;
  readonly pid: number;
  /** Last transaction on its disk. */
  readonly "master-serial": string;
}

async function fetchState(id: string): Promise<State> {
  return (await system.nodestat(id)) as unknown as State;
}

/** The member that leads, with all others synced, and its process. */
async function leading(): Promise<{ readonly id: string; readonly pid: number }> {
  const elected: { readonly id: string; readonly pid: number }[] = [];
  await until(async () => {
    for (const id of MEMBERS) {
      const state = await fetchState(id).catch(() => null);
      if (state?.group.role !== "leading") continue;
      if (state.group.synced.length === MEMBERS.length - 1) elected.push({ id, pid: state.pid });
    }
    return elected.length > 0;
  });
  return elected[0]!;
}

async function leader(): Promise<string> {
  return (await leading()).id;
}

/** Follows the graph through the dispatcher from now on, and adds the ids of new vertices. */
async function follow(ids: string[], signal: AbortSignal): Promise<void> {
  const path = "/svc/builtin/changes?graph=shop&kinds=%5B%22vertexCreated%22%5D";
  const { body, status } = await fetch(`http://${system.host}:9990${path}`, { signal });
  assert.is(status, 200);
  let text = "";
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split("\n");
    text = lines.pop()!;
    ids.push(...lines.filter(Boolean).map((line) => String(JSON.parse(line).id)));
  }
}

/** A cluster with a pod of one engine. */
async function startPods(dispatcher: string, id: string): Promise<FakeKubernetes> {
  const pods = await FakeKubernetes.start();
  const app = "svc-unspecified-4-node-s";
  for (const instanceId of [dispatcher, id]) {
    const name = `${app}-${instanceId.toLowerCase()}`;
    const annotations = { "svc/instances": instanceId };
    pods.sets.push({
      kind: instanceId === id ? "statefulsets" : "deployments",
      metadata: { name, generation: 1, labels: { app }, annotations },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "svc", image: "a:1" }] } } },
      status: {},
    });
  }
  pods.create(`${app}-${id.toLowerCase()}-1`);
  return pods;
}

async function contents(id: string): Promise<string[]> {
  const { json } = await system.get(id, "/svc/plugin/all");
  return (json.response as string[]).map(String).sort();
}

if (version !== null || USES_LEASES) {
  test.before(async () => {
    if (USES_LEASES) {
      cluster = await FakeKubernetes.start();
      process.env.SVC_KUBERNETES_API = cluster.access.url;
      process.env.SVC_KUBERNETES_ACCOUNT = cluster.account;
    } else nats = await NatsServers.start(1);
    project = new TemporaryProject({
      "plugins/shop.ts": SHOP_PLUGINS,
      "plugins/job.ts": JOB,
      "plugins/inline.ts": INLINE,
      "tsconfig.json": NODE_TYPES,
      "svc.config.ts": 'export default { durability: "full", executors: 1 };\n',
    });
    notes = join(project.folder, "notes.txt");
    process.env.NOTES = notes;
    system = await UpSystem.start(project.folder, descriptor());
  });
  test.after(async () => {
    for (const name of ["NOTES", "SVC_KUBERNETES_API", "SVC_KUBERNETES_ACCOUNT"]) {
      delete process.env[name];
    }
    await system.close();
    project.remove();
    await nats?.stop();
    await cluster?.stop();
  });

  test("a dead leader is replaced, and no acknowledged change is lost", async () => {
    await leader();
    const followed: string[] = [];
    const controller = new AbortController();
    const following = follow(followed, controller.signal);
    // A failed test ends its system first.
    following.catch(() => {});
    // The feed has a beginning that only its first event shows.
    await until(async () => {
      await send(`/svc/plugin/put?id=${freshName("w")}`, { method: "POST", body: "" });
      return followed.length > 0;
    });
    const load = new Load(send);
    const sales = new Sales(send);
    const gaps: readonly [killed: number[], stopped: number[]] = [[], []];
    await during([load.clients, sales.clients], async () => {
      for (let round = 0; round < rounds(4); round++) {
        const count = load.acknowledged.length;
        await until(async () => load.acknowledged.length > count + 20);
        const { pid } = await leading();
        await until(async () => readNotes().some((note) => note.pid === pid));
        load.begin();
        const isKilled = round % 2 === 0;
        process.kill(pid, isKilled ? "SIGKILL" : "SIGSTOP");
        // Also one that stands still cannot end its run.
        killed.add(pid);
        const before = load.acknowledged.length;
        await until(async () => load.acknowledged.length > before + 20);
        gaps[round % 2]!.push(Math.round(load.longestMs));
        if (!isKilled) process.kill(pid, "SIGCONT");
      }
    });
    // With a key, no request fails, and each has been executed once.
    sales.assertOnce();
    const { id: last, pid } = await leading();
    await until(async () => readNotes().some((note) => note.pid === pid));
    assertNeverTwiceAtOnce();
    const memberContents = await contents(last);
    const missing = load.acknowledged.filter((id) => !memberContents.includes(id));
    assert.equal(missing, [], JSON.stringify([...load.statuses]));
    assert.is(new Set(memberContents).size, memberContents.length);
    const changes = () => followed.filter((id) => id.startsWith("v"));
    const isFollowed = until(async () => changes().length >= memberContents.length);
    await Promise.race([following, isFollowed]);
    assert.equal(changes().sort(), memberContents, "the feed goes on at the next leader");
    controller.abort();
    await following.catch(() => {});
    for (const id of MEMBERS) {
      await until(
        async () => JSON.stringify(await contents(id)) === JSON.stringify(memberContents),
      );
    }
    if (process.env.ROUNDS) {
      const [killings, stops] = gaps.map(summary);
      console.error(`killed: ${killings} stopped: ${stops} statuses: ${[...load.statuses]}`);
    }
  });

  test("an unreachable engine fails no request", async () => {
    const id = await leader();
    const load = new Load(send);
    const failedReads: string[] = [];
    const readers = new Clients(1, async () => {
      const { status, text } = await system.get("TD", "/svc/plugin/has?id=v0");
      if (status !== 200) failedReads.push(text);
    });
    await during([load.clients, readers], async () => {
      if (nats === null) cluster!.isStuck = true;
      else await nats.kill(0);
      await until(async () => system.out.includes("does not respond"));
      const awayFrom = performance.now();
      const before = load.acknowledged.length;
      await until(async () => load.acknowledged.length > before + 100);
      const awayMs = Number(process.env.AWAY_MS ?? 0);
      await until(async () => performance.now() - awayFrom > awayMs, 2 * awayMs + LIMIT_MS);
      if (nats === null) cluster!.isStuck = false;
      else await nats.revive(0);
    });
    assert.equal(load.failures, []);
    assert.equal(failedReads.slice(0, 3), []);
    assert.is(await leader(), id, "nobody has taken over");
    if (process.env.AWAY_MS) console.error(`engine away: ${[...load.statuses]}`);
  });

  test("a handover fails no request, and jobs run once", async () => {
    const from = await leader();
    const to = MEMBERS.find((id) => id !== from)!;
    const load = new Load(send);
    const inline = new InlineRequests();
    const count = readNotes().length;
    await during([load.clients, inline.clients], async () => {
      await until(async () => load.acknowledged.length > 20);
      load.begin();
      const { code, out, err } = await system.admin("handover", from, to);
      assert.is(code, 0, `${out}\n${err}`);
      const before = load.acknowledged.length;
      await until(async () => load.acknowledged.length > before + 20);
    });
    assert.equal([load.failures, inline.failures], [[], []]);
    assert.ok(inline.count > 20);
    assert.is(await leader(), to);
    const { pid } = await system.nodestat(to);
    const began = () =>
      readNotes()
        .slice(count)
        .filter(({ event }) => event === "begins");
    await until(async () => began().filter((note) => note.pid === pid).length > 2);
    assertNeverTwiceAtOnce();
    const times = began().map(({ time }) => time);
    assert.equal(times, [...new Set(times)].sort(), "each time once, in order");
    if (process.env.ROUNDS) console.error(`handover: ${Math.round(load.longestMs)} ms`);
  });

  test("an update by image deletes the pod of a leader once another member leads", async () => {
    const id = await leader();
    const roles: string[] = [];
    const pods = await startPods("TD", id);
    pods.terminate = async () => {
      const { pid, group } = await fetchState(id);
      roles.push(group.role);
      process.kill(pid, "SIGTERM");
      await until(async () => (await fetchState(id)).pid !== pid);
    };
    const previousEnvironment = { ...process.env };
    const { url, account } = pods.access;
    Object.assign(process.env, { SVC_KUBERNETES_API: url, SVC_KUBERNETES_ACCOUNT: account });
    const load = new Load(send);
    await during([load.clients], async () => {
      const { code, out, err } = await system.admin("rolling-update", id, "--image", "a:2");
      assert.is(code, 0, `${out}\n${err}`);
      await leader();
    });
    process.env = previousEnvironment;
    assert.equal(roles, ["following"]);
    assert.equal([...load.statuses.keys()], [200]);
    const images = [...pods.pods.values()].map(({ spec }) => spec.containers[0]!.image);
    assert.equal(images, ["a:2"]);
    await pods.stop();
  });

  test("commands that would lose changes fail and report all positions", async () => {
    const id = await leader();
    const follower = MEMBERS.find((member) => member !== id)!;
    const promoted = await system.admin("promote", follower);
    assert.is(promoted.code, 1);
    assert.match(promoted.out, new RegExp(`^${follower}: SVC3402: promote: .* --accept-loss`));
    const numbers = new RegExp(
      `each member: ${follower} \\d+ of epoch \\d+, .*\\b${id} leads\\b.*\n$`,
    );
    assert.match(promoted.out, numbers);
    const secondResult = await system.admin("handover", follower, id);
    assert.equal([secondResult.code, secondResult.out], [0, `${follower}: handed over to ${id}\n`]);
    const third = MEMBERS.find((member) => member !== id && member !== follower)!;
    const refusedResult = await system.admin("handover", follower, third);
    assert.equal(
      [refusedResult.code, refusedResult.out],
      [1, `${follower}: SVC3403: handover: this instance does not lead\n`],
    );
    assert.is(await leader(), id);
  });

  test("other members name the leader before they execute a request", async () => {
    const id = await leader();
    const follower = MEMBERS.find((member) => member !== id)!;
    await until(async () => (await fetchState(follower)).group.leader === id);
    const posted = await system.get(follower, "/svc/plugin/put?id=x", 0, {
      method: "POST",
      body: "",
    });
    assert.is(posted.status, 421);
    assert.is(posted.headers.get("x-svc-leader-id"), id);
    assert.is((await system.get(follower, "/svc/plugin/all")).status, 200);
    const { epoch } = (await fetchState(id)).group;
    const healthy = await system.get(id, "/svc/hc");
    assert.is(healthy.headers.get("x-svc-leader"), String(epoch));
    assert.is((await system.get(follower, "/svc/hc")).headers.get("x-svc-leader"), null);
  });

  test("a former leader discards changes that its successor lacks, and follows it", async () => {
    const { id, pid } = await leading();
    const others = MEMBERS.filter((member) => member !== id);
    const gate = async (verb: string): Promise<void> => {
      const { code, out, err } = await system.admin(verb, others.join(","), "in");
      assert.is(code, 0, `${out}\n${err}`);
    };
    const serial = async () => Number((await fetchState(id))["master-serial"]);
    const before = await serial();
    // Members may have given up changes before.
    const { length } = system.out;
    const said = () => {
      const pattern = /leadership: changes that the leader lacks are in (\S+); (.*)\n/;
      return pattern.exec(system.out.slice(length));
    };
    await gate("pause-replication");
    const statuses = Array.from({ length: 10 }, (_, n) =>
      system.get(id, `/svc/plugin/put?id=vlost${n}`, 0, { method: "POST", body: "" }).then(
        ({ status }) => status,
        () => null,
      ),
    );
    await until(async () => (await serial()) >= before + statuses.length);
    // A new process would lead on with what it has.
    process.kill(pid, "SIGSTOP");
    const roles = () =>
      Promise.all(others.map(async (member) => (await fetchState(member)).group.role));
    await until(async () => (await roles()).some((role) => role !== "following"));
    process.kill(pid, "SIGCONT");
    await gate("resume-replication");
    await until(async () => said() !== null);
    const [, lost = "", outcome = ""] = said()!;
    assert.match(outcome, /^rewound to transaction \d+$/);
    assert.match(lost, new RegExp(`_${id}/\\.lost/[^/]+$`));
    assert.ok(existsSync(join(lost, "_txlog")));
    assert.match(system.out.slice(length), /SVC3404: /);
    const next = await leader();
    assert.is.not(next, id);
    assert.not((await Promise.all(statuses)).includes(200), "none was acknowledged");
    const { digest } = await system.nodestat(next);
    for (const member of MEMBERS) {
      await until(async () => (await system.nodestat(member)).digest === digest);
      const memberContents = await contents(member);
      assert.not(memberContents.some((vertex) => vertex.startsWith("vlost")));
    }
  });

  test("a leader that no member follows refuses changes, and serves reads", async () => {
    const id = await leader();
    const followers = await Promise.all(MEMBERS.filter((member) => member !== id).map(fetchState));
    const put = (vertex: string) =>
      send(`/svc/plugin/put?id=${vertex}`, { method: "POST", body: "" });
    for (const { pid } of followers) process.kill(pid, "SIGSTOP");
    await until(async () => (await fetchState(id)).group.role === "readonly");
    const refusedResponse = await put("vrefused");
    assert.equal(
      [refusedResponse.status, /too few members/.test(refusedResponse.text)],
      [507, true],
    );
    const health = await system.get(id, "/svc/hc");
    assert.ok(health.headers.has("x-svc-leader"), "a dispatcher that starts now finds it");
    const { text } = await system.get(id, "/metrics", 1);
    assert.match(text, /^svc_graph_readonly\{graph="shop"\} 1$/m);
    assert.match(text, /^svc_replica_state\{state="leader"\} 1$/m, "the alert SvcChangesRefused");
    const read = await send("/svc/plugin/has?id=vrefused");
    assert.equal([read.status, hitcount(read)], [200, 0], "a dispatcher still sends reads");
    const port = descriptor().instances[id]!.hport + 1;
    const address = { host: system.host, port, key: null, tls: null } as never;
    const runNow = () => operate(address, "RunJob", { name: "tick" }).then(String, String);
    await until(async () => /too few members/.test(await runNow()));
    for (const { pid } of followers) process.kill(pid, "SIGCONT");
    await leader();
    assert.is((await put("vaccepted")).status, 200);
  });
} else test.skip("is skipped without nats-server", () => undefined);

test.run();
