// Choice of the transport, in folders where hyper-express is missing, broken or installed.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { loadTransport, type NetOnlySetting } from "../../../runtime/http/load-transport.js";

const test = suite<{ folder: string }>("load transport");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-transport-"));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

function install(folder: string, source: string): void {
  const packageFolder = join(folder, "node_modules/hyper-express");
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(
    join(packageFolder, "package.json"),
    '{ "name": "hyper-express", "version": "6.17.4" }',
  );
  writeFileSync(join(packageFolder, "index.js"), source);
}

const BROKEN = 'throw new Error("Supports other systems only.\\n\\nError: version missing");';

async function expectRefusal(
  folder: string,
  message: string,
  code = "SVC2301",
  netOnly: NetOnlySetting | null = null,
): Promise<void> {
  try {
    await loadTransport("uws", folder, netOnly);
    assert.unreachable("nothing was refused");
  } catch (error) {
    assert.instance(error, SvcError);
    assert.is((error as SvcError).code, code);
    assert.is((error as SvcError).message, message);
  }
}

test("does not look for hyper-express with net", async ({ folder }) => {
  install(folder, BROKEN);
  const { transport, reason } = await loadTransport("net", folder);
  assert.is(transport.name, "net");
  assert.is(reason, "as configured");
});

test("falls back to net with auto, and fails with uws, without hyper-express", async ({
  folder,
}) => {
  const { transport, reason } = await loadTransport("auto", folder);
  assert.is(transport.name, "net");
  assert.is(reason, "hyper-express is not installed");
  await expectRefusal(folder, "transport uws: hyper-express is not installed");
});

test("reports the cause when hyper-express fails to load", async ({ folder }) => {
  install(folder, BROKEN);
  const { transport, reason } = await loadTransport("auto", folder);
  assert.is(transport.name, "net");
  assert.is(reason, "hyper-express does not load: Error: version missing");
  await expectRefusal(folder, `transport uws: ${reason}`);
});

test("uses a hyper-express that loads", async ({ folder }) => {
  install(folder, "module.exports = {};");
  const chosen = await loadTransport("auto", folder);
  assert.is(chosen.transport.name, "uws");
  assert.is(chosen.reason, "hyper-express 6.17.4 is installed");
  assert.is((await loadTransport("uws", folder)).reason, "as configured");
});

test("supports TLS and the PROXY protocol with net only", async ({ folder }) => {
  install(folder, "module.exports = {};");
  const chosen = await loadTransport("auto", folder, "http.tls");
  assert.is(chosen.transport.name, "net");
  assert.is(chosen.reason, "the uws transport does not support TLS");
  const message = "transport uws and http.tls: the uws transport does not support TLS";
  await expectRefusal(folder, message, "SVC2943", "http.tls");
  const chosenForProxy = await loadTransport("auto", folder, "http.proxyProtocol");
  assert.is(chosenForProxy.reason, "the uws transport does not support the PROXY protocol");
});

test.run();
