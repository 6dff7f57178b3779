// Where `svc up` was killed, its port may be another program's by now.
// limit: 60 s

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { askDown, UpSocket } from "../../../cli/system/up-socket.js";
import type { SvcError } from "../../../runtime/base/errors.js";

const test = suite<{ root: string }>("socket of svc up");
const ALL = { ids: null, force: false };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-up-"));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** What a killed `svc up` has left, with something else at its port. */
async function stranger(root: string, meet: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    meet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(root, "up.json"), JSON.stringify({ port, token: "old" }));
  return server;
}

async function code(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "none",
    (error: SvcError) => error.code,
  );
}

const STRANGERS: Readonly<Record<string, (socket: Socket) => void>> = {
  "tells for ever": (socket) => {
    const timer = setInterval(() => socket.write(": hm\n"), 100);
    socket.on("close", () => clearInterval(timer)).resume();
  },
  "hangs up": (socket) => socket.resume().end(),
  "says something else": (socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"),
};

for (const [what, meet] of Object.entries(STRANGERS)) {
  test(`a program that ${what} is no svc up`, async ({ root }) => {
    const server = await stranger(root, meet);
    const up = new UpSocket(root, async () => true);
    assert.is(await code(askDown(root, ALL, () => {})), "SVC3114");
    await up.open(root);
    assert.is(await askDown(root, ALL, () => {}), true);
    assert.is(await code(new UpSocket(root, async () => true).open(root)), "SVC3113");
    up.close();
    server.close();
  });
}

test.run();
