// After `svc up` was killed, another program may use its port.
// limit: 60 s

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestShutdown, SupervisorSocket } from "../../../cli/system/supervisor-socket.js";
import type { SvcError } from "../../../runtime/base/errors.js";

const test = suite<{ root: string }>("svc up socket");
const ALL = { ids: null, force: false };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-up-"));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** The socket file of a killed `svc up`, with another program at its port. */
async function stranger(root: string, meet: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    meet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  writeFileSync(join(root, "up.json"), JSON.stringify({ ...address(server), token: "old" }));
  return server;
}

function address(server: Server): { readonly port: number } {
  return { port: (server.address() as AddressInfo).port };
}

async function code(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "none",
    (error: SvcError) => error.code,
  );
}

const STRANGERS: Readonly<Record<string, (socket: Socket) => void>> = {
  "sends endless data": (socket) => {
    const timer = setInterval(() => socket.write(": hm\n"), 100);
    socket.on("close", () => clearInterval(timer)).resume();
  },
  "closes the connection": (socket) => socket.resume().end(),
  "sends something else": (socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"),
};

for (const [label, meet] of Object.entries(STRANGERS)) {
  test(`does not take a program that ${label} for svc up`, async ({ root }) => {
    const server = await stranger(root, meet);
    const up = new SupervisorSocket(root, async () => true);
    assert.is(await code(requestShutdown(root, ALL, () => {})), "SVC3114");
    await up.open(root);
    assert.is(await requestShutdown(root, ALL, () => {}), true);
    assert.is(await code(new SupervisorSocket(root, async () => true).open(root)), "SVC3113");
    up.close();
    server.close();
  });
}

test("does not send the secret to another program that listens on its port", async ({ root }) => {
  let receivedText = "";
  const server = await stranger(root, (socket) => {
    socket.setEncoding("utf8").on("data", (text: string) => {
      receivedText += text;
      // Input of a program that waits for more.
      socket.write(`${JSON.stringify({ nonce: "x", proof: "y".repeat(64) })}\n`);
    });
  });
  writeFileSync(
    join(root, "up.json"),
    JSON.stringify({ ...address(server), token: "very secret" }),
  );
  assert.is(await code(requestShutdown(root, ALL, () => {})), "SVC3114");
  assert.match(receivedText, /^\{"nonce":"[0-9a-f]{64}"\}\n$/);
  server.close();
});

test("does not shut down for a client without the secret", async ({ root }) => {
  let ended = 0;
  const up = new SupervisorSocket(root, async () => {
    ended++;
    return true;
  });
  await up.open(root);
  const file = join(root, "up.json");
  const { port, token } = JSON.parse(readFileSync(file, "utf8")) as { port: number; token: string };
  const proof = "0".repeat(64);
  for (const second of [{ request: "{}", proof }, { request: "{}" }, { token }, { proof: 5 }]) {
    const socket = connect(port, "127.0.0.1");
    socket.write(`${JSON.stringify({ nonce: "x" })}\n${JSON.stringify(second)}\n`);
    const received = await text(socket);
    assert.match(received, /^\{"nonce":"[0-9a-f]{64}","proof":"[0-9a-f]{64}"\}\n$/);
  }
  assert.is(ended, 0);
  assert.is(await requestShutdown(root, ALL, () => {}), true);
  assert.is(ended, 1);
  up.close();
});

test.run();
