// The shop example: its job ranks the articles, and the start page reads the ranking.
// limit: 60 s
// builds examples

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operate } from "../../cli/admin/remote.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, get, type Served, serve } from "./support/server.js";

const EXAMPLE = join(packageRoot(), "examples", "shop");
const test = suite("example shop");
const root = mkdtempSync(join(tmpdir(), "svc-shop-"));
let server: Served;

test.before(async () => {
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
});
test.after(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

test("ranks the articles that sell best by a job", async () => {
  const feed = "/svc/plugin/feed?articles=20&buyers=200";
  assert.is((await get(server.port, feed, { method: "POST" })).status, 200);
  const trending = async () =>
    (await get(server.port, "/svc/plugin/trending?n=3")).json.response as string[];
  assert.equal(await trending(), []);
  const address = { host: "127.0.0.1", port: server.port + 1, key: null, tls: null };
  await operate(address as never, "RunJob", { name: "rank" });
  while ((await trending()).length === 0) await delay(20);
  assert.is((await trending()).length, 3);
  const { json } = await get(server.port, "/svc/builtin/jobs");
  const [job] = json.response as { name: string; runs: { outcome: string }[] }[];
  assert.is(job!.runs[0]!.outcome, "ok");
});

test.run();
