// Runs the conformance cases against a transport. A transport that can't keep some rule names the
// cases; each of those has to fail, so that the list never says more than is true.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HttpServer, Transport } from "../../runtime/http/transport.js";
import { CASES, type Case, MAX_BODY_BYTES } from "./cases.js";
import { TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const PROBE = "GET /probe HTTP/1.1\r\nHost: a\r\n\r\n";

/** Names a case in the lists of known differences. */
export function nameOf(entry: Case): string {
  return `${entry.rule}: ${entry.name}`;
}

/** Registers one test a case with uvu; the caller's file is the one that is run. */
export function runConformance(transport: Transport, differences: ReadonlySet<string>): void {
  const test = suite(`${transport.name} conformance`);
  const engine = new TestEngine();
  let server: HttpServer;

  test.before(async () => {
    const options = { maxBodyBytes: MAX_BODY_BYTES, cors: null };
    server = await transport.listen(0, "127.0.0.1", options, engine);
  });
  test.after(() => server.close());

  for (const entry of CASES) {
    const name = nameOf(entry);
    test(name, async () => {
      const failure = await failureOf(entry, server.port);
      if (!differences.has(name)) {
        if (failure !== null) throw failure;
      } else if (failure === null) assert.unreachable("a known difference is none any more");
    });
  }

  test("every known difference is a case", () => {
    const names = new Set(CASES.map(nameOf));
    assert.is(names.size, CASES.length, "names are unique");
    for (const name of differences) assert.ok(names.has(name), name);
  });

  test("nothing is left over", async () => {
    const deadline = performance.now() + 3000;
    while (engine.open > 0 && performance.now() < deadline) await turn();
    assert.is(engine.open, 0);
    assert.equal(server.connections(), []);
  });

  test.run();
}

async function failureOf(entry: Case, port: number): Promise<unknown> {
  const client = await RawClient.open(port);
  try {
    await converse(entry, client);
    return null;
  } catch (error) {
    return error;
  } finally {
    client.close();
  }
}

async function converse(entry: Case, client: RawClient): Promise<void> {
  const pieces = typeof entry.send === "string" ? [entry.send] : entry.send;
  const { waitsFor } = entry;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && waitsFor !== undefined) {
      await client.until(() => client.received.includes(waitsFor), waitsFor);
    }
    client.send(piece);
    await turn();
  }
  if (entry.ends) client.socket.end();
  const isHead = (index: number): boolean => entry.expect[index]?.isHead === true;
  const answers = await client.answers(entry.expect.length, isHead);
  for (const [index, expected] of entry.expect.entries()) {
    const answer = answers[index]!;
    assert.is(answer.status, expected.status);
    if (expected.head !== undefined) assert.is(answer.head, expected.head);
    if (expected.body !== undefined) assert.is(answer.body, expected.body);
  }
  if (entry.after === "open") await expectOpen(client);
  else await client.until(() => client.isClosed, "the end of the connection");
}

async function expectOpen(client: RawClient): Promise<void> {
  assert.is(client.received, "", "nothing more than the expected answers");
  client.send(PROBE);
  const [answer] = await client.answers(1);
  assert.is(answer!.status, 200);
  assert.match(answer!.body, "GET|/probe");
}
