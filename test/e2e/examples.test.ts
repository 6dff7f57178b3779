// Every example is built, served and called, as its reader would.
// limit: 60 s

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/package-info.js";
import { type Answer, get, serve, svc } from "./support/server.js";

const test = suite("examples");
const FOLDER = join(packageRoot(), "examples");

type Call = (path: string, init?: RequestInit) => Promise<Answer>;

/** What is asked of each example. */
const CHECKS: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  async hello(call) {
    assert.equal((await call("/svc/plugin/hello")).json.response, ["Hello, world!"]);
    const posted = await call("/svc/plugin/hello?name=you&times=2", { method: "POST", body: "" });
    assert.equal(posted.json.response, ["Hello, you!", "Hello, you!"]);
    assert.is((await call("/svc/plugin/power?base=1.5")).json.response, 2.25);
    const refused = await call("/svc/plugin/power?base=x");
    assert.is(refused.status, 400);
    const digest = await call("/svc/plugin/sha256", { method: "POST", body: "abc" });
    assert.match(String(digest.json.response), /^ba7816bf[0-9a-f]{56}$/);
    const found = await call("/svc/plugin/search?q=o&n=1");
    const { entries } = found.json.response as { entries: unknown };
    assert.equal(entries, [["Oslo", { population: 717710 }]]);
  },
};

for (const name of readdirSync(FOLDER)) {
  test(name, async () => {
    const check = CHECKS[name];
    assert.ok(check, `examples/${name} is called by no test`);
    const folder = join(FOLDER, name);
    await svc("build", folder);
    const served = await serve(folder);
    try {
      await check!((path, init) => get(served.port, path, init));
    } finally {
      assert.is(await served.stop(), 0);
    }
  });
}

test.run();
