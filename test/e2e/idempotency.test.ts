// Requests with an `Idempotency-Key`: a repeated one changes nothing and gets the first answer,
// also after a restart or a restore. Requests with the key of another one are refused.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { run } from "../cli/run-main.js";
import { type DecodedResponse, get } from "./support/server.js";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, system }: typeof Library = await import(built);

const test = suite("requests with a key");
const folder = mkdtempSync(join(tmpdir(), "svc-keys-"));
const root = join(folder, "root");
let names = 0;
/** Ends the plugin `later`. */
let goOn: () => void = () => undefined;

async function start(folder = root): Promise<void> {
  await system.initialize("keys", { http: 0, root: folder, durability: "full" });
  new Graph("shop");
  for (const [name, run] of Object.entries(PLUGINS)) {
    system.addPlugin(run, { name });
  }
}

function count(): number {
  return new Graph("shop").count("sold", "units", "total");
}

type Request = Library.PluginRequest;

const PLUGINS = {
  sell: (_request: Request) => count(),
  fail: (_request: Request) => {
    count();
    throw new Error(`failed after ${new Graph("shop").arcValue("sold", "units", "total")}`);
  },
  steps: (_request: Request) => {
    for (let step = 0; step < 3; step++) count();
    return system.transaction([new Graph("shop"), new Graph("stock")], (shop, stock) => {
      stock.count("sold", "units", "total");
      return shop.count("sold", "units", "total");
    });
  },
  atOnce: (_request: Request) => new Graph("shop").batch(() => count() + count()),
  later: async (_request: Request) => {
    await Promise.resolve();
    const first = count();
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return [first, count()];
  },
  nothing: (_request: Request) => names++,
  long: (_request: Request) => `${count()}`.padEnd(20_000, "x"),
  here: (_request: Request) => new Graph("mine", { local: true }).count("sold", "units", "total"),
};

test.before(() => start());
test.after(async () => {
  await system.unload();
  rmSync(folder, { recursive: true });
});

function post(path: string, key: string, body = "", more = {}): Promise<DecodedResponse> {
  const headers = { "Idempotency-Key": key, "X-SVC-Change": "1", ...more };
  return get(system.serverPorts().base, `/svc/${path}`, { method: "POST", headers, body });
}

function sold(): number {
  const shop = new Graph("shop");
  return shop.hasVertex("sold") ? (shop.arcValue("sold", "units", "total") ?? 0) : 0;
}

function newKey(): string {
  return `key ${names++}`;
}

const quoted = (key: string): string => `"${key}"`;

test("repeated requests change nothing and receive the first response", async () => {
  for (const [name, units] of Object.entries({ sell: 1, steps: 4, atOnce: 2, long: 1 })) {
    const key = quoted(newKey());
    const before = sold();
    const first = await post(`plugin/${name}`, key);
    assert.is(first.status, 200, first.text);
    assert.is(sold(), before + units);
    for (let repeat = 0; repeat < 2; repeat++) {
      const repeatedResponse = await post(`plugin/${name}`, key);
      if (name === "long") {
        assert.is(repeatedResponse.status, 500);
        assert.match(repeatedResponse.text, "SVC3407");
      } else
        assert.equal(
          [repeatedResponse.status, repeatedResponse.json.response],
          [200, first.json.response],
        );
      assert.is(sold(), before + units, name);
    }
    assert.not.equal((await post(`plugin/${name}`, quoted(newKey()))).json, first.json);
  }
});

test("errors after a change are repeated, too", async () => {
  const key = newKey().replace(" ", "-");
  const first = await post("plugin/fail", key);
  const before = sold();
  assert.is(first.status, 500);
  const repeatedResponse = await post("plugin/fail", key);
  assert.equal([repeatedResponse.status, repeatedResponse.json.message], [500, first.json.message]);
  assert.is(sold(), before);
});

test("requests without a change of a replicated graph run again", async () => {
  const key = quoted(newKey());
  const [first, repeatedResponse] = [
    await post("plugin/nothing", key),
    await post("plugin/nothing", key),
  ];
  assert.is(repeatedResponse.json.response, (first.json.response as number) + 1);
  const otherKey = quoted(newKey());
  assert.is((await post("plugin/here", otherKey)).json.response, 1);
  assert.is((await post("plugin/here", otherKey)).json.response, 2);
});

test("built-in plugins keep their responses, too", async () => {
  const key = quoted(newKey());
  const path = "builtin/createvertex?graph=shop&id=lamp";
  const responses = [await post(path, key), await post(path, key), await post(path, quoted("b"))];
  const actions = responses.map(({ json }) => (json.response as { action: string }).action);
  assert.equal(actions, ["created", "created", "updated"]);
});

test("a key belongs to one request", async () => {
  const key = quoted(newKey());
  const before = sold() + 1;
  await post("plugin/sell", key, "a");
  const others = [
    await post("plugin/sell", key, "b"),
    await post("plugin/sell?n=1", key, "a"),
    await post("plugin/steps", key, "a"),
  ];
  for (const { status, text } of others) {
    assert.is(status, 422);
    assert.match(text, "SVC3406");
  }
  assert.is(sold(), before);
  // Each attempt to send a form has another boundary.
  const form = quoted(newKey());
  for (const boundary of ["1", "2"]) {
    const type = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const { status, json } = await post("plugin/sell", form, `--${boundary}--\r\n`, type);
    assert.equal([status, json.response], [200, before + 1]);
  }
});

test("a request is rejected while another one with its key runs", async () => {
  const key = quoted(newKey());
  const before = sold();
  const first = post("plugin/later", key);
  while (sold() === before) await delay(5);
  const second = await post("plugin/later", key);
  assert.is(second.status, 409);
  assert.match(second.text, "SVC3405");
  assert.is(second.headers.get("retry-after"), "1");
  goOn();
  assert.equal((await first).json.response, [before + 1, before + 2]);
  assert.equal((await post("plugin/later", key)).json.response, [before + 1, before + 2]);
  assert.is(sold(), before + 2);
});

test("invalid keys are refused, and those of requests that only read are ignored", async () => {
  for (const key of ["", "a b", '"', '"a', '"a"b"', "é", `"${"a".repeat(256)}"`, '""']) {
    assert.is((await post("plugin/sell", key)).status, 400, key);
  }
  const headers = { "Idempotency-Key": "a b" };
  const { status } = await get(system.serverPorts().base, "/svc/plugin/nothing", { headers });
  assert.is(status, 200);
  for (const key of ["a", '"a"', '"a\\"b"', "a".repeat(255)]) {
    assert.is((await post("plugin/sell", key)).status, 200, key);
  }
});

test("keys and responses survive a restart and a restore, and stay hidden", async () => {
  const key = quoted(newKey());
  const { response } = (await post("plugin/sell", key)).json;
  const before = sold();
  const { text } = await get(system.serverPorts().base, "/svc/builtin/status");
  assert.not.match(text, "svc.requests");
  assert.not.match(JSON.stringify([system.status(), system.registry()]), "svc.requests");
  assert.throws(() => new Graph("svc.requests"), /reserved/);
  const query = await get(system.serverPorts().base, "/svc/builtin/objcnt?graph=svc.requests");
  assert.not.equal(query.status, 200);
  await system.unload();
  await start();
  assert.is((await post("plugin/sell", key)).json.response, response);
  assert.is(sold(), before);
  await system.unload();
  const [backup, restored] = [join(folder, "place"), join(folder, "restored")];
  await run("backup", root, "--to", backup);
  const { code, stderr } = await run("restore", backup, restored);
  assert.is(code, 0, stderr);
  await start(restored);
  assert.is((await post("plugin/sell", key)).json.response, response);
  assert.is(sold(), before);
});

test.run();
