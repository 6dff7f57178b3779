// A system of several instances on this machine: `svc up` starts it, `svc admin` shows it, `svc
// down` stops it, and errors are reported.
// limit: 120 s

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { UpSystem } from "./support/system.js";

const test = suite("system");
const PROJECT = join(packageRoot(), "examples", "matrix");
const DESCRIPTOR = {
  name: "Pair",
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    S1: { type: "search", hport: 9110, "s-in": true },
  },
  topology: { dispatch: { TD: [{ partitions: ["S1"] }] } },
};

let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
});
test.after(() => system.close());

test("both instances serve, and the dispatcher has found its engine", async () => {
  const direct = await system.get("S1", "/svc/plugin/heights?n=1");
  assert.is(direct.status, 200, direct.text);
  const merged = await system.get("TD", "/svc/plugin/mountains?n=1");
  assert.equal([merged.status, merged.json.level], [200, 1], merged.text);
});

test("status prints the table of all instances", async () => {
  const { code, out } = await system.admin("status");
  assert.is(code, 0, out);
  const [head, ...rows] = out.trimEnd().split("\n");
  assert.match(head!, /^Id +Ver +Uptime +Host +IP +APort +TXPort +S +RPS +95th\(ms\) +CPU/);
  assert.equal(
    rows.map((row) => row.split(/ +/)[0]),
    ["TD", "S1"],
  );
  assert.match(rows[1]!, new RegExp(`^S1 +0\\.1\\.0 +0d \\S+ +${system.host} .* 9111 .* S-IN `));
  const json = JSON.parse((await system.admin("status", "S*", "--json")).out);
  assert.equal([json.length, json[0].id, json[0].nodestat.adminport], [1, "S1", 9111]);
});

test("a killed instance is detected, reported and restarted", async () => {
  const { json } = await system.get("S1", "/svc/nodestat", 1);
  process.kill((json.response as { pid: number }).pid, "SIGKILL");
  await system.until(/S1 \| down \(SIGKILL\); restarting in 1000 ms/);
  await system.until(/S1 \| down [\s\S]*S1 \| up at/);
  assert.is((await system.admin("status")).code, 0);
});

test("a selector that matches no instance exits with code 2", async () => {
  const { code, err } = await system.admin("status", "X*");
  assert.equal([code, /SVC3111: Pair has no instance matching "X\*"/.test(err)], [2, true]);
  const unknownResult = await system.admin("statsu");
  assert.equal([unknownResult.code, /did you mean `status`/.test(unknownResult.err)], [2, true]);
});

test("the same system cannot be started twice", async () => {
  const words = ["up", PROJECT, "--descriptor", system.file];
  const { code, err } = await system.run(...words, "--root", join(system.root, "data"));
  assert.equal([code, /SVC3113/.test(err)], [1, true], err);
});

test("reports that no instance of the system runs on this machine", async () => {
  const otherFile = join(system.root, "other.json");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(
    otherFile,
    JSON.stringify({ instances: { G1: { hport: 9000, host: "192.0.2.1" } } }),
  );
  const { code, err } = await system.run("up", PROJECT, "--descriptor", otherFile);
  assert.equal(
    [code, /SVC3112: no instance of G1 is hosted on this machine/.test(err)],
    [1, true],
    err,
  );
});

test("a stopped instance stays stopped; missing ones are reported next to the others", async () => {
  const { code, out } = await system.down("--only", "S1", "--descriptor", system.file);
  assert.equal([code, out], [0, "S1 has ended\n"]);
  const status = await system.admin("status");
  assert.is(status.code, 1);
  assert.match(status.out, /^TD .* S-IN /m);
  assert.match(status.out, /^Not running: S1 \(.*ECONNREFUSED/m);
});

test("svc down stops all, and reports when none is running", async () => {
  const { code, out } = await system.down();
  assert.equal([code, out], [0, "TD has ended\nS1 has ended\n"]);
  await system.ended();
  const secondResult = await system.down();
  assert.equal(
    [secondResult.code, /SVC3114: no system is up in/.test(secondResult.err)],
    [1, true],
    secondResult.err,
  );
});

test.run();
