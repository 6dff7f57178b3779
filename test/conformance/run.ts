// Runs the conformance cases against a transport. For rules that a transport cannot follow, its
// list of differences states the actual behavior, which is verified as well, so that the list stays
// exact.

import { setImmediate as turn } from "node:timers/promises";
import type { ConnectionOptions } from "node:tls";
import type { Test } from "uvu";
import * as assert from "uvu/assert";
import type { TlsMaterial } from "../../runtime/base/tls-files.js";
import type { HttpServer, Transport } from "../../runtime/http/transport.js";
import type { Case, ExpectedResponse } from "./case.js";
import { CASES, MAX_BODY_BYTES } from "./cases.js";
import { serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const PROBE = "GET /probe HTTP/1.1\r\nHost: a\r\n\r\n";

/** Name of a case in the lists of known differences. */
export function caseName(entry: Case): string {
  return `${entry.rule}: ${entry.name}`;
}

/** Behavior of a transport that differs from the cases. */
export interface KnownDifferences {
  /** Every response that leaves the connection open has a Date field. */
  readonly addsDate: boolean;
  /** Outcomes by case name. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export type Outcome = Pick<Case, "expect" | "after" | "waitsFor">;

/** Encryption of the connections. */
export interface Encryption {
  material(): Promise<TlsMaterial>;
  readonly client: ConnectionOptions;
}

const HERE = "127.0.0.1";
const NONE: KnownDifferences = { addsDate: false, outcomes: new Map() };
const DATE = /^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/m;

/** Adds one test per case to a suite, which the caller runs. */
export function addConformance(
  test: Test,
  transport: Transport,
  differences = NONE,
  encryption: Encryption | null = null,
): void {
  const { addsDate, outcomes } = differences;
  const engine = new TestEngine();
  let server: HttpServer;

  test.before(async () => {
    const tls = (await encryption?.material()) ?? null;
    const options = serverOptions({ maxBodyBytes: MAX_BODY_BYTES, tls });
    server = await transport.listen(0, "127.0.0.1", options, engine);
  });
  test.after(() => server.close());

  for (const entry of CASES) {
    const name = caseName(entry);
    test(name, async () => {
      const open = () => RawClient.open(server.port, HERE, HERE, encryption?.client ?? null);
      const client = await open();
      try {
        const expected = { ...entry, ...outcomes.get(name) };
        await converse(expected, client, addsDate);
        if (expected.after === "waiting") await expectWaiting(client, await open());
      } finally {
        client.close();
      }
    });
  }

  test("every known difference is a case", () => {
    const names = new Set(CASES.map(caseName));
    assert.is(names.size, CASES.length, "names are unique");
    for (const name of outcomes.keys()) assert.ok(names.has(name), name);
  });

  test("no memory is leaked", async () => {
    const deadline = performance.now() + 3000;
    while (engine.open > 0 && performance.now() < deadline) await turn();
    assert.is(engine.open, 0);
    assert.equal(server.connections(), []);
  });
}

async function converse(entry: Case, client: RawClient, addsDate: boolean): Promise<void> {
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
  const responses = await client.responses(entry.expect.length, isHead);
  for (const [index, expected] of entry.expect.entries()) {
    const response = responses[index]!;
    assert.is(response.status, expected.status);
    if (expected.head !== undefined) expectHead(response.head, expected, addsDate);
    if (expected.body !== undefined) assert.is(response.body, expected.body);
  }
  if (entry.after === "open") await expectOpen(client);
  if (entry.after === "closed") await client.until(() => client.isClosed, "the end");
}

function expectHead(head: string, expected: ExpectedResponse, addsDate: boolean): void {
  const hasDate = addsDate && DATE.test(head);
  assert.is(hasDate ? head.replace(DATE, "") : head, expected.head);
}

/** Another client was served in between, and still there is neither a response nor a close. */
async function expectWaiting(client: RawClient, otherClient: RawClient): Promise<void> {
  await expectOpen(otherClient);
  otherClient.close();
  assert.is(client.received, "");
  assert.not.ok(client.isClosed);
}

async function expectOpen(client: RawClient): Promise<void> {
  assert.is(client.received, "", "nothing more than the expected answers");
  client.send(PROBE);
  const [response] = await client.responses(1);
  assert.is(response!.status, 200);
  assert.match(response!.body, "GET|/probe");
}
