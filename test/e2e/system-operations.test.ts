// Admin operations on a running system: every operation over real sockets, its effect, and its
// errors.
// limit: 240 s
// takes 25 s

import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFiring } from "./support/firing-alerts.js";
import { fixture } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";

const test = suite("admin operations");
const PROJECT = fixture("graph-services");
const TD_ROWS = [{ partitions: ["B1"] }, { partitions: ["S1"] }];
const DESCRIPTOR = {
  name: "Operated",
  graphs: ["people"],
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { type: "builder", hport: 9100, graph: "people" },
    S1: { type: "search", hport: 9110, tport: 10110 },
  },
  topology: { transaction: { B1: ["S1"] }, dispatch: { TD: TD_ROWS } },
};

let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
});
test.after(async () => {
  await system.close();
});

async function token(id: string): Promise<string> {
  const { json } = await system.get(id, "/svc/builtin/ADMIN_GetAuthToken", 1);
  return (json.response as { authtoken: string }).authtoken;
}

/** One operation, with a token of its own. */
async function operate(id: string, operation: string, query = "", body?: string): Promise<unknown> {
  const path = `/svc/builtin/ADMIN_${operation}?authtoken=${await token(id)}${query}`;
  const init = body === undefined ? {} : { method: "POST", body };
  const { status, json, text } = await system.get(id, path, 1, init);
  assert.is(status, 200, text);
  return json.response;
}

test("show running algorithms, and reject the cancellation of others", async () => {
  const shown = await system.admin("algorithms", "B1");
  assert.equal([shown.code, shown.out], [0, "B1: none\n"]);
  const { code, out, err } = await system.admin("cancel-algorithm", "B1", "7");
  assert.is(code, 1);
  assert.match(out + err, /no algorithm with the id 7 runs/);
  const refusedResult = await system.admin("cancel-algorithm", "B1", "all");
  assert.match(refusedResult.err, /SVC3004.*expected <ids> and the id of an algorithm/);
});

test("take instances out of service with a reason, and back in", async () => {
  assert.equal((await system.nodestat("S1"))["service-out-reason"], "start");
  const earlyResult = await system.admin("service-in", "S*", "--no-wait");
  assert.equal(
    [earlyResult.code, earlyResult.out],
    [1, "S1: SVC3401: graphs are not caught up: waiting for a provider\n"],
  );
  await system.admin("attach", "B1");
  const { code, out } = await system.admin("service-in", "S*");
  assert.equal([code, out], [0, "S1: service_in\n"]);
  assert.equal((await system.nodestat("S1"))["service-in"], 1);
  await system.admin("service-out", "S1");
  const { "service-out-reason": reason } = await system.nodestat("S1");
  assert.equal([reason, (await system.get("S1", "/svc/hc")).status], ["operator", 503]);
  const { out: status } = await system.admin("status");
  assert.match(status, /^S1 .* S-OUT /m);
  assert.match(status, /^Out of service: S1 \(operator\)$/m);
  await system.admin("service-in", "S1");
  await system.admin("detach", "B1");
});

test("accept a token once, and report why one is invalid", async () => {
  const once = await token("B1");
  const path = `/svc/builtin/ADMIN_ResetMetrics?authtoken=${once}`;
  assert.equal((await system.get("B1", path, 1)).json.response, { action: "metrics_reset" });
  const repeatedResponse = await system.get("B1", path, 1);
  assert.is(repeatedResponse.status, 500);
  const { plugin } = repeatedResponse.json.message as {
    plugin: { exception: string; value: string };
  };
  assert.match(plugin.exception, "PermissionError");
  assert.is(plugin.value, "Expired authtoken");
  const invalidResponse = await system.get("B1", path.replace(/=.*/, "=x"), 1);
  assert.match(invalidResponse.text, "Invalid authtoken");
  const response = await system.get("B1", "/svc/builtin/ADMIN_ResetMetrics", 1);
  assert.is(response.status, 400);
});

test("attach a subscriber, which gets all data and later changes", async () => {
  const { code, out, err } = await system.admin("attach", "B*");
  assert.equal([code, out], [0, `B1: attached svc://${system.host}:10110\n`], err);
  assert.is((await system.get("B1", "/svc/plugin/feed")).status, 200);
  const { "graph-order": order } = await system.nodestat("B1");
  assert.ok(order > 0);
  await until(async () => (await system.nodestat("S1"))["graph-order"] === order);
  const secondResult = await system.admin("attach");
  assert.is(secondResult.out, "B1: attached no new subscribers\n");
  assert.equal(await operate("B1", "DetachAll"), { subscriber: "all", action: "detached" });
  const uri = `svc://${system.host}:10110`;
  assert.equal(await operate("B1", "Attach", `&uri=${uri}`), {
    subscriber: uri,
    action: "attached",
  });
  assert.equal(await operate("B1", "Detach", `&uri=${uri}`), {
    subscriber: uri,
    action: "detached",
  });
  assert.match(String(await operate("B1", "Attach", "&uri=file:///etc")), /^Exception/);
});

test("change the log level of all threads", async () => {
  const { code, out, err } = await system.admin("log-level", "B1", "debug");
  assert.equal([code, out], [0, "B1: debug, before: info\n"], err);
  // The IO thread logs it on level `debug`.
  await operate("B1", "Lease", "&holder=me&what=test&operator=me&seconds=0");
  const { json } = await system.get("B1", "/svc/log", 1);
  assert.match(JSON.stringify(json), "admin: Lease");
  const refusedResult = await system.admin("log-level", "B1", "loud");
  assert.equal(
    [refusedResult.code, /SVC3004.*error, warn, info, debug/.test(refusedResult.err)],
    [2, true],
  );
  assert.equal(await operate("B1", "LogLevel", "&level=info"), {
    action: "log_level",
    level: "info",
    former: "debug",
  });
});

test("change graphs", async () => {
  assert.equal(await operate("B1", "SetReadonly"), { action: "system readonly" });
  assert.is((await system.nodestat("B1")).readonly, true);
  assert.match(String(await operate("B1", "Truncate")), /^Exception\(".*readonly/);
  assert.equal(await operate("B1", "ClearReadonly"), { action: "system mutable" });
  assert.equal(await operate("B1", "SuspendEvents"), { action: "events_suspended" });
  assert.equal(await operate("B1", "ResumeEvents"), { action: "events_resumed" });
  assert.equal(await operate("B1", "Persist"), { action: "persist", status: "complete" });
  const refusedResult = await system.admin("truncate", "B1");
  assert.equal([refusedResult.code, /SVC3116: Truncate of B1/.test(refusedResult.err)], [1, true]);
  assert.ok((await system.nodestat("B1"))["graph-order"] > 0);
  assert.is((await system.admin("truncate", "B1", "--yes")).out, "B1: truncate\n");
  assert.is((await system.nodestat("B1"))["graph-order"], 0);
});

test("suspend, resume and throttle replication", async () => {
  for (const [name, action] of [
    ["SuspendTxInput", "tx_input_suspended"],
    ["ResumeTxInput", "tx_input_resumed"],
    ["SuspendTxOutput", "tx_output_suspended"],
    ["ResumeTxOutput", "tx_output_resumed"],
  ] as const) {
    assert.equal(await operate("B1", name), { action });
  }
  const limited = await operate("B1", "Throttle", "&rate=1000&unit=opcodes");
  assert.is((limited as { limits: Record<string, number> }).limits.opcodes, 1000);
  await operate("B1", "Throttle", "&rate=0&unit=all_unlimited");
  assert.match(String(await operate("B1", "Throttle", "&unit=x")), "unit must be one of");
  assert.match(String(await operate("B1", "Bind", "&port=0")), "a port from 1 to 65535");
});

test("control replication, and request any path", async () => {
  const said = async (...words: string[]) => {
    const { code, out, err } = await system.admin(...words);
    return [code, out === "" ? err : out] as const;
  };
  assert.equal(await said("pause-replication", "B1", "out"), [0, "B1: tx_output_suspended\n"]);
  assert.equal(await said("resume-replication", "B1", "out"), [0, "B1: tx_output_resumed\n"]);
  assert.match(
    (await said("pause-replication", "B1"))[1],
    "SVC3004: expected <ids> and `in` or `out`",
  );
  assert.match((await said("throttle", "B1", "500,operations"))[1], '"operations":500');
  assert.match((await said("throttle", "B1"))[1], '"operations":500');
  assert.match((await said("throttle", "B1", "0"))[1], '"operations":null');
  assert.match((await said("throttle", "B1", "fast"))[1], "SVC3004");
  assert.match((await said("bind", "B1"))[1], "SVC3117: B1: no `tport`");
  assert.match((await said("unsubscribe", "B1"))[1], "SVC3117: B1: no provider");
  await system.admin("attach", "B1");
  assert.equal(await said("unsubscribe", "S1"), [0, "S1: detached from its provider\n"]);
  assert.match((await said("endpoint", "TD", "/svc/hc"))[1], 'TD: "SVC/3"');
  assert.match((await said("endpoint", "TD,S1", "/svc/nodestat"))[1], '"instance": "S1"');
  assert.match((await said("endpoint", "TD", "nodestat"))[1], "SVC3004");
  const [code, line] = await said("endpoint", "TD", "/nope");
  assert.is(code, 1);
  assert.match(line, "TD: SVC3302: /nope returned 404: ");
});

async function fetchSubscribers(id: string): Promise<unknown[]> {
  const { json } = await system.get(id, "/svc/peerstat", 1);
  return (json.response as { subscribers: unknown[] }).subscribers;
}

test("let a subscriber ask its provider to attach and detach it", async () => {
  const subscriber = `svc://${system.host}:10110`;
  const uri = `svc://${system.host}:9101`;
  const subscribed = { provider: uri, subscriber, action: "subscribed" };
  assert.equal(await operate("S1", "Subscribe", `&uri=${uri}`), subscribed);
  await until(async () => (await fetchSubscribers("B1")).length === 1);
  assert.equal(await operate("S1", "Unsubscribe"), { subscriber, action: "unsubscribed" });
  await until(async () => (await fetchSubscribers("B1")).length === 0);
  // The operator key is sent to no other server.
  const stranger = "&uri=svc://127.0.0.1:9";
  assert.match(String(await operate("S1", "Subscribe", stranger)), "instance of the descriptor");
  assert.match(String(await operate("B1", "Subscribe", `&uri=${uri}`)), "no TX input service: B1");
  assert.match(String(await operate("TD", "Unsubscribe")), "no provider");
});

test("copy all graphs to another instance, and restore the previous state", async () => {
  await system.admin("service-in", "S1");
  const first = await system.admin("force-copy", "B1", "S1");
  assert.equal([first.code, first.out], [0, "S1: now has all graphs of B1\n"], first.err);
  assert.is((await system.nodestat("S1"))["service-in"], 1);
  await system.admin("service-out", "S1");
  const copied = await system.admin("force-copy", "B1", "S1");
  assert.equal([copied.code, copied.out], [0, "S1: now has all graphs of B1\n"], copied.err);
  assert.is((await system.nodestat("S1"))["service-in"], 0);
  await system.admin("service-in", "S1");
  assert.equal(await digest("S1"), await digest("B1"));
  await until(async () => (await fetchSubscribers("B1")).length === 1);
  await operate("B1", "DetachAll");
  assert.match((await system.admin("force-copy", "S1", "B1")).err, "no TX input service: B1");
  assert.match((await system.admin("force-copy", "*", "S1")).err, "SVC3004: expected <from> and");
});

async function digest(id: string): Promise<unknown> {
  return ((await system.get(id, "/svc/nodestat", 1)).json.response as { digest: string }).digest;
}

test("dump an instance to a folder that a transaction log can be replayed on", async () => {
  const { code, out, err } = await system.admin("dump", "B1");
  assert.is(code, 0, out + err);
  const folder = /^B1: dumped to (.+opdump_\d+\.tx)$/m.exec(out)?.[1];
  await until(async () => (await fetchSubscribers("B1")).length === 0);
  const checked = await system.run("log", "check", folder!);
  assert.match(checked.out, /^_txlog: \d+ transactions in \d+ segments/);
  assert.is(checked.code, 0, checked.err);
  const { text } = await system.get("B1", "/metrics", 1);
  assertFiring(text, text, []);
  assertFiring(text, text, ["SvcDumpOld"], { laterS: 3 * 86_400 });
  assert.match((await system.admin("dump")).err, "SVC3004: missing <ids>");
});

async function isDumped(): Promise<boolean> {
  return (await fetchSubscribers("B1")).some((shown) => /^file:/.test((shown as [string])[0]));
}

test("complete a copy or a dump in the next run after the operator is killed", async () => {
  await system.admin("service-in", "S1");
  for (const words of [
    ["force-copy", "B1", "S1"],
    ["dump", "B1"],
  ]) {
    const child = system.spawnAdmin(...words);
    const exited = once(child, "exit");
    const isBegun = async () => {
      if (child.exitCode !== null) return true;
      const isOut = (await system.nodestat("S1"))["service-out-reason"] === "force copy";
      return isOut || (await isDumped());
    };
    await until(isBegun);
    child.kill("SIGKILL");
    await exited;
    const { code, out, err } = await system.admin(...words, "--force");
    assert.is(code, 0, out + err);
    assert.is((await system.nodestat("S1"))["service-in"], 1);
    await until(async () => !(await isDumped()));
  }
  assert.equal(await digest("S1"), await digest("B1"));
  await operate("B1", "DetachAll");
});

test("report that an operation is automatic or belongs to the other end", async () => {
  const sync = { action: "sync", mode: "repair", status: "complete" };
  assert.equal(await operate("S1", "Sync"), sync);
  assert.equal(await operate("B1", "Sync", "&mode=hard"), { ...sync, mode: "hard" });
  assert.match(String(await operate("B1", "Sync", "&mode=x")), "mode must be 'repair'");
  const cancelled = { action: "cancel_sync", status: "sync not running" };
  assert.equal(await operate("B1", "CancelSync"), cancelled);
});

test("reload plugins from the build only", async () => {
  const { code, out } = await system.admin("reload", "S1");
  assert.equal([code, out], [0, "S1: plugins_reloaded\n"]);
  const list = '[{"name": "x", "package": "fs"}]';
  assert.match(String(await operate("S1", "ReloadPlugins", "", list)), "from the project's build");
  const lines = (await operate("S1", "ReloadPlugins", "", "[]")) as { result: string[] };
  assert.ok(lines.result.includes("Plugin engine=/svc/plugin/feed"));
});

test("report failures with a code, and continue with the other instances", async () => {
  await operate("B1", "SetReadonly");
  const { code, out } = await system.admin("truncate", "B1,S1", "--yes", "--json");
  await operate("B1", "ClearReadonly");
  const [builder] = JSON.parse(out) as { error: string }[];
  assert.equal([code, /^B1: SVC3115: Truncate at .*readonly/.test(builder!.error)], [1, true], out);
  const unmatchedResult = await system.admin("attach", "S1");
  assert.match(unmatchedResult.err, "SVC3117: no subscribers in the descriptor for S1");
});

test("are called by name in the console, which runs nothing else", async () => {
  const body = "dir();\nResetMetrics;\nprocess.exit(1);constructor";
  const { result } = (await operate("S1", "Console", "&graph=people", body)) as {
    result: unknown[];
  };
  assert.ok((result[0] as string[]).includes("Truncate"));
  assert.equal(result[1], { action: "metrics_reset" });
  assert.match(String(result[2]), "unknown: process.exit(1)");
  assert.match(String(result[3]), "unknown: constructor");
});

test("expose descriptor and own id as system properties", async () => {
  const { json } = await system.get("S1", "/svc/builtin/properties", 1);
  const { SYSTEM_Descriptor: descriptor, SYSTEM_DescriptorIdent: id } = json.response as {
    SYSTEM_Descriptor: { name: string };
    SYSTEM_DescriptorIdent: string;
  };
  assert.equal([descriptor.name, id], ["Operated", "S1"]);
});

test("respond for themselves and the instances below them", async () => {
  const branch = async (id: string) => {
    const { json } = await system.get(id, "/svc/builtin/system_overview?form=branch", 1);
    return json.response as { layout: string; rest: unknown[][] };
  };
  const [top, leaf] = [await branch("TD"), await branch("S1")];
  assert.equal([top.rest.map(([position]) => position), leaf.rest.length], [[0, 1, 2], 1]);
  assert.is(top.layout, leaf.layout);
});

test("report on all instances from any of them", async () => {
  const { json } = await system.get("S1", "/svc/builtin/system_overview", 1);
  const overview = json.response as {
    id: string;
    instances: { id: string; hc: string; "matrix-complete"?: boolean; matrix?: object[][] }[];
  };
  assert.is(overview.id, "S1");
  const shown = overview.instances.map(({ id, hc }) => [id, hc]);
  assert.equal(shown, [
    ["TD", "SVC/3"],
    ["B1", "SVC/3"],
    ["S1", "SVC/3"],
  ]);
  const [dispatcher] = overview.instances;
  assert.is(dispatcher!["matrix-complete"], true);
  const [[builder, search]] = dispatcher!.matrix as [[{ id: string }, { serving: boolean }]];
  assert.equal([builder.id, search.serving], ["B1", true]);
  const counts = await system.get("TD", "/svc/builtin/system_counts?idlist=B1,%20S1,X", 1);
  const { instances } = counts.json.response as { instances: { objcnt: { order: number } }[] };
  assert.equal(
    instances.map(({ objcnt }) => typeof objcnt.order),
    ["number", "number"],
  );
  const rates = await system.get("B1", "/svc/builtin/system_rates?idlist=TD", 1);
  const [rate] = (rates.json.response as { instances: Record<string, object>[] }).instances;
  assert.equal(Object.keys(rate!.rates!), ["mean", "50.0", "90.0", "95.0", "99.0", "99.9", "rate"]);
  assert.is((rate!.matrix as Record<string, number>)["total-channels"], 64);
});

test("apply a changed matrix at once, and after a restart of the ports", async () => {
  const rows = [{ channels: 2, priority: 1, partitions: ["B1"] }];
  system.write({ ...DESCRIPTOR, topology: { ...DESCRIPTOR.topology, dispatch: { TD: rows } } });
  const sentResult = await system.admin("send-descriptor", "TD");
  assert.is(sentResult.out, "TD: system descriptor updated, matrix changed\n");
  const { pid } = await system.nodestat("TD");
  const { out } = await system.admin("restart-http", "TD");
  assert.is(out, "TD: restart_http in progress\n");
  await until(async () => {
    const { json } = await system.get("TD", "/svc/matrix", 1);
    const [partition] = json.response as { channels: number }[][];
    return partition!.length === 1 && partition![0]!.channels === 2;
  });
  // Each port is closed for a moment.
  await until(async () => (await system.nodestat("TD")).pid === pid);
  await until(async () => (await system.get("TD", "/svc/hc")).status === 200);
  const override = '{"instances": {"G1": {"hport": 9000}}}';
  assert.match(
    String(await operate("TD", "SystemDescriptor", "", override)),
    "it has no instance TD",
  );
  assert.match(String(await operate("TD", "SystemDescriptor", "", "{}")), "System descriptor");
});

test("stop an instance, which svc up restarts", async () => {
  const { pid } = await system.nodestat("S1");
  assert.match((await system.admin("stop", "S1")).err, "SVC3116");
  const { code, out } = await system.admin("stop", "S1", "--yes");
  assert.equal([code, out], [0, "S1: shutdown going offline\n"]);
  await until(async () => (await system.nodestat("S1")).pid !== pid);
});

test("save no graph on a shutdown without `persist`", async () => {
  const stop = async (query: string): Promise<void> => {
    const { pid } = await system.nodestat("B1");
    let statistics: unknown;
    // It serves statistics before it accepts operations.
    do {
      const previousToken = await token("B1");
      statistics = await operate("B1", "Shutdown", `&authshutdown=${previousToken}${query}`);
    } while (String(statistics).includes("server is starting"));
    assert.equal(statistics, { action: "shutdown", status: "going offline" });
    await until(async () => (await system.nodestat("B1")).pid !== pid);
  };
  const snapshots = (): string[] => {
    const folder = join(system.root, "data", "builder_B1");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files
      .filter((name) => !/log|lock|\.json$/.test(name))
      .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)
      .filter((line) => /people/.test(line))
      .sort();
  };
  await stop("&persist=1");
  // It is starting: without the replicated data there would be nothing to save.
  await until(async () => (await system.get("B1", "/svc/plugin/feed")).status === 200);
  const before = snapshots();
  assert.ok(before.length > 0, "nothing was saved at all");
  await stop("");
  assert.equal(snapshots(), before);
});

test("promote a subscriber that is named", async () => {
  const unmatchedResult = await system.admin("promote");
  assert.match(unmatchedResult.err, "SVC3004: missing [ids]");
  const { code, out, err } = await system.admin("promote", "S1");
  assert.equal([code, /^S1: promoted to provider, epoch [2-9]\n$/.test(out)], [0, true], out + err);
});

test.run();
