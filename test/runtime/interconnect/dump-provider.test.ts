// How far a dump is, as its instance sees it, and how it ends.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { LOG_FOLDER } from "../../../runtime/base/graph-names.js";
import { dumpTransport } from "../../../runtime/interconnect/dump/dump-provider.js";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import type { LogSender, SenderParts } from "../../../runtime/interconnect/log-transport.js";
import { DUMP, DumpedLog } from "./support/dumped-log.js";
import { until } from "./support/instance.js";

interface Context {
  log: DumpedLog;
  lines: string[];
  gate: FlowControl;
  ended: number;
}

const test = suite<Context>("state of a dump");
const { setTimeout: realTimeout } = globalThis;

test.before.each((context) => {
  context.log = new DumpedLog(mkdtempSync(join(tmpdir(), "svc-dump-")));
  context.log.keep("g");
  // Its first frame also declares the graph.
  context.log.write("g");
  context.lines = [];
  context.gate = new FlowControl();
  context.ended = 0;
  // Nothing but its events may let a dump go on.
  globalThis.setTimeout = ((run: () => void) => realTimeout(run, 2 ** 30)) as typeof setTimeout;
});

test.after.each(({ log }) => {
  globalThis.setTimeout = realTimeout;
  log.channel.log.close();
  rmSync(log.root, { recursive: true });
});

function begin(context: Context, saveNow?: (name: string) => Promise<string>) {
  const { log, gate, lines } = context;
  const sender = create(context, {
    ...{ gate, warn: (line) => lines.push(line), onEnded: () => context.ended++ },
    snapshots: saveNow === undefined ? log : { saveNow },
  });
  return { sender, running: sender.run() };
}

/** Resolves when everything has arrived that may, and the dump waits for more. */
async function isIdle({ lines }: Context): Promise<void> {
  await until(
    () => /attached/.test(lines.join()),
    () => lines.join("\n"),
  );
  for (let turns = 100; turns > 0; turns--) await turn();
}

function create({ log }: Context, parts: Partial<SenderParts> = {}): LogSender {
  const options = { root: log.root, log, snapshots: log, ...parts };
  return dumpTransport.createSender(`file:${DUMP}`, options as SenderParts);
}

function waitForUnit(sender: LogSender, sn: number): Promise<void> {
  return until(
    () => sender.hasAcknowledged(sn),
    () => `${sender.firstNeededSn}`,
  );
}

test("a dump needs the log from the first transaction that it lacks", async (context) => {
  const { log, gate } = context;
  gate.isOpen = false;
  log.write("g", 3);
  assert.is(log.channel.log.durableSn, 5);
  const { sender, running } = begin(context);
  assert.equal([sender.firstNeededSn, sender.hasAcknowledged(0)], [1, false]);
  await isIdle(context);
  assert.equal(
    [sender.firstNeededSn, sender.hasAcknowledged(0), sender.hasAcknowledged(1)],
    [1, true, false],
  );
  gate.isOpen = true;
  sender.wake();
  await waitForUnit(sender, 5);
  assert.equal([sender.firstNeededSn, sender.hasAcknowledged(6)], [6, false]);
  log.write("g", 2);
  await waitForUnit(sender, 7);
  assert.is(sender.firstNeededSn, 8);
  sender.stop();
  await running;
  assert.equal([sender.firstNeededSn, log.listeners.size], [Number.POSITIVE_INFINITY, 0]);
});

test("a dump needs nothing before its first segment while it writes", async (context) => {
  const { log, gate } = context;
  await log.roll();
  const segment = log.channel.log.last + 1;
  log.write("g");
  let pass = (): void => undefined;
  gate.pass = () =>
    new Promise((resolve) => {
      pass = resolve;
    });
  const { sender, running } = begin(context);
  await isIdle(context);
  assert.equal([sender.firstNeededSn, sender.hasAcknowledged(segment)], [segment, false]);
  sender.stop();
  pass();
  await running;
});

test("a dump contains the durable transactions", async (context) => {
  const { log } = context;
  const { sender, running } = begin(context);
  await waitForUnit(sender, 2);
  log.steps.length = 0;
  log.write("g");
  await waitForUnit(sender, 3);
  assert.match(log.steps.join(), /^write [^,]*,flush [^,]*$/);
  sender.stop();
  await running;
});

test("a dump that has not begun retains the whole log", ({ log, ...context }) => {
  const channel = Object.create(log.channel, { log: { value: { first: 3 } } });
  const onFlushed = log.onFlushed.bind(log);
  const sender = create({ log, ...context }, { log: { disk: log.disk, channel, onFlushed } });
  assert.is(sender.firstNeededSn, 3);
});

test("only a dump of the root can be written, over nothing but a dump", (context) => {
  const { log } = context;
  const outcome = (uri: string): unknown => {
    try {
      return dumpTransport.canonicalUri(uri, log.root) && create(context).uri;
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  const uri = pathToFileURL(log.folder).href;
  assert.equal([outcome(`file:${DUMP}`), outcome(uri)], [uri, uri]);
  for (const source of ["file:other.tx", `file:sub/${DUMP}`]) assert.is(outcome(source), "SVC3340");
  mkdirSync(log.folder);
  assert.is(outcome(uri), "SVC3340");
  mkdirSync(join(log.folder, LOG_FOLDER));
  assert.is(outcome(uri), uri);
});

test("a repair waits for the transactions logged before it", async (context) => {
  const { log, gate } = context;
  gate.isOpen = false;
  log.write("g", 3);
  const { sender, running } = begin(context);
  await isIdle(context);
  assert.is(sender.isRepairing, false, "none was requested");
  sender.repair("different");
  assert.is(sender.isRepairing, true);
  sender.repair(null);
  assert.is(sender.isRepairing, false);
  sender.repair("all");
  assert.is(sender.isRepairing, true);
  gate.isOpen = true;
  sender.wake();
  await waitForUnit(sender, 5);
  assert.is(sender.isRepairing, false);
  gate.isOpen = false;
  log.write("g");
  sender.repair("all");
  assert.is(sender.isRepairing, true);
  sender.stop();
  assert.is(sender.isRepairing, false, "a dump that has ended is not waited for");
  await running;
});

test("a dump counts as connected once it has caught up with its start", async (context) => {
  const { log, gate } = context;
  gate.isOpen = false;
  log.write("g", 3);
  const { sender, running } = begin(context);
  const state = () => {
    const { isConnected, isSynchronizing, lagTransactions } = sender.report();
    return [isConnected, isSynchronizing, lagTransactions];
  };
  assert.equal(state(), [false, true, 5]);
  await isIdle(context);
  assert.equal(state(), [false, true, 5]);
  gate.isOpen = true;
  sender.wake();
  await waitForUnit(sender, 5);
  assert.equal(state(), [true, false, 0]);
  gate.isOpen = false;
  log.write("g", 2);
  assert.equal(state(), [true, false, 2]);
  sender.stop();
  await running;
});

test("a dump that ends is durable, and has no file open", async (context) => {
  const { log, gate } = context;
  const { openFiles } = log;
  log.write("g");
  gate.throttle = { ...gate.throttle, transactions: 1000 };
  const { sender, running } = begin(context);
  let writes = 0;
  log.written = () => {
    // The first write is the head of its segment.
    if (++writes === 2) sender.stop();
  };
  await running;
  assert.match(log.steps.slice(-3).join(), /^write .*,flush .*,close .*/);
  assert.is(log.openFiles, openFiles);
});

test("a dump that fails ends with the reason", async (context) => {
  const uri = pathToFileURL(context.log.folder).href;
  for (const [error, line] of [
    [new Error("EIO"), `SVC3340: EIO (${uri})`],
    [new SvcError("SVC2504", "denied"), `SVC2504: denied (${uri})`],
  ] as const) {
    context.lines.length = 0;
    const { sender, running } = begin(context, async () => {
      throw error;
    });
    await running;
    assert.equal(context.lines, [line]);
    assert.equal([sender.firstNeededSn, context.log.listeners.size], [Number.POSITIVE_INFINITY, 0]);
  }
  assert.is(context.ended, 2);
});

test.run();
