// The files of a dump: when they are durable, and the position at which a dump continues.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LOG_FOLDER } from "../../../runtime/base/graph-names.js";
import { removeEverywhere } from "../../../runtime/graph/manager/track-graph.js";
import { DumpWriter } from "../../../runtime/interconnect/dump/dump-writer.js";
import type { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { LogTailer } from "../../../runtime/interconnect/log/log-tailer.js";
import { DUMP, DumpedLog } from "./support/dumped-log.js";

interface Context {
  log: DumpedLog;
}

const test = suite<Context>("files of a dump");

test.before.each((context) => {
  context.log = new DumpedLog(mkdtempSync(join(tmpdir(), "svc-dump-")));
});

test.after.each(({ log }) => {
  log.channel.log.close();
  rmSync(log.root, { recursive: true });
});

/** Begins a dump, and writes what the log has. */
async function dump(log: DumpedLog): Promise<DumpWriter> {
  const writer = new DumpWriter(log.folder, log);
  await writer.begin(log);
  const tailer = new LogTailer(log.disk, log.channel.log, writer.resume());
  for (let frame = tailer.next(); frame !== null; frame = tailer.next()) writer.write(frame);
  tailer.close();
  return writer;
}

/** The segments of a folder, by name. */
function segments(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]));
}

test("gets its final name once the snapshots of all open graphs are durable", async ({ log }) => {
  log.keep("g", "sub/g");
  const closedStore = log.keep("closed");
  log.write("g");
  log.write("closed");
  removeEverywhere(closedStore);
  log.channel.release();
  await new DumpWriter(log.folder, log).begin(log);
  const part = `${DUMP}.part/sub/g`;
  const [snapshot] = readdirSync(join(log.folder, "sub/g"));
  assert.equal(log.steps, [
    ...[`flush ${part}/${snapshot}`, `close ${part}/${snapshot}`, `flush folder ${part}`],
    "flush folder ",
  ]);
  assert.equal(readdirSync(log.folder).sort(), [LOG_FOLDER, "sub"].sort());
});

test("it begins again if it was interrupted before that", async ({ log }) => {
  log.keep("g");
  log.write("g");
  const part = `${log.folder}.part`;
  mkdirSync(join(part, "former"), { recursive: true });
  await new DumpWriter(log.folder, log).begin(log);
  assert.equal(readdirSync(log.folder).sort(), [LOG_FOLDER, "g"].sort());
  assert.is(existsSync(part), false);
});

test("its segments are those of the log, each durable before the next one", async ({ log }) => {
  log.keep("g");
  const writer = new DumpWriter(log.folder, log);
  await writer.begin(log);
  log.write("g", 3);
  log.write("g");
  await log.roll();
  log.write("g");
  log.steps.length = 0;
  await dump(log);
  const names = log.channel.log.segments.map(({ name }) => `${DUMP}/${LOG_FOLDER}/${name}`);
  const created = (name?: string) => [
    ...["create", "write", "flush", "close"].map((operation) => `${operation} ${name}.part`),
    `flush folder ${DUMP}/${LOG_FOLDER}`,
  ];
  assert.equal(log.steps, [
    ...[...created(names[0]), `write ${names[0]}`, `write ${names[0]}`],
    ...[`flush ${names[0]}`, `close ${names[0]}`, ...created(names[1]), `write ${names[1]}`],
  ]);
  assert.equal(segments(join(log.folder, LOG_FOLDER)), segments(join(log.root, LOG_FOLDER)));
});

test("it is flushed and closed once", async ({ log }) => {
  log.keep("g");
  log.write("g");
  const writer = await dump(log);
  log.steps.length = 0;
  await writer.flush();
  writer.close();
  writer.close();
  const file = `${DUMP}/${LOG_FOLDER}/${log.channel.log.segments[0]!.name}`;
  assert.equal(log.steps, [`flush ${file}`, `close ${file}`]);
});

test("it begins with the segment of what its snapshots lack", async ({ log }) => {
  const writer = new DumpWriter(log.folder, log);
  await writer.begin(log);
  assert.is(writer.resume(), log.channel.log.first, "nothing was written yet");
  rmSync(log.folder, { recursive: true });
  log.keep("g");
  log.write("g");
  await log.roll();
  const segment = log.channel.log.last + 1;
  log.write("g");
  await writer.begin(log);
  assert.is(writer.resume(), segment, "the last segment, for its table");
  await log.roll();
  const empty = log.channel.log.last + 1;
  assert.is(writer.resume(), empty);
  log.keep("later");
  for (let remaining = 2; remaining > 0; remaining--) {
    log.write("later");
    await log.roll();
  }
  assert.is(writer.resume(), empty);
});

test("torn frames are written again", async ({ log }) => {
  log.keep("g");
  log.write("g");
  log.write("g");
  (await dump(log)).close();
  const [name] = [...segments(join(log.folder, LOG_FOLDER)).keys()];
  const path = join(log.folder, LOG_FOLDER, name!);
  const { size } = statSync(path);
  appendFileSync(path, "torn");
  const writer = new DumpWriter(log.folder, log);
  assert.is(writer.resume(), log.channel.log.last + 1);
  assert.is(statSync(path).size, size);
  writer.close();
  writeFileSync(path, readFileSync(path).subarray(0, 10));
  assert.is(new DumpWriter(log.folder, log).resume(), 1);
  log.write("g");
  (await dump(log)).close();
  assert.equal(segments(join(log.folder, LOG_FOLDER)), segments(join(log.root, LOG_FOLDER)));
});

test("it begins again if the creation of its first segment was interrupted", async ({ log }) => {
  log.keep("g");
  log.write("g");
  await log.roll();
  await new DumpWriter(log.folder, log).begin(log);
  log.write("g");
  const folder = join(log.folder, LOG_FOLDER);
  log.written = () => {
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), 10);
    throw new Error("the power is lost");
  };
  assert.instance(await dump(log).catch((error: Error) => error), Error);
  log.written = () => undefined;
  (await dump(log)).close();
  const [, last] = segments(join(log.root, LOG_FOLDER));
  const [first] = [...segments(folder)].filter(([name]) => !/part/.test(name));
  assert.equal(first, last);
});

test("continues in its last segment, and recreates one without a head", async ({ log }) => {
  log.keep("g");
  await new DumpWriter(log.folder, log).begin(log);
  log.write("g");
  await log.roll();
  log.write("g");
  const isWhole = async (): Promise<void> => {
    (await dump(log)).close();
    assert.equal(segments(join(log.folder, LOG_FOLDER)), segments(join(log.root, LOG_FOLDER)));
  };
  await isWhole();
  log.write("g");
  await isWhole();
  const path = join(log.folder, LOG_FOLDER, log.channel.log.segments.at(-1)!.name);
  writeFileSync(path, readFileSync(path).subarray(0, 10));
  await isWhole();
});

test("continues only if its log does", async ({ log }) => {
  log.keep("g");
  log.write("g");
  log.write("g");
  (await dump(log)).close();
  const { logId, last } = log.channel.log;
  const outcome = (options: { logId?: string; first?: number; durableSn?: number }): unknown => {
    const value = { logId, first: 1, durableSn: last, ...options };
    const channel = Object.create(log.channel, { log: { value } }) as LogChannel;
    const writer = new DumpWriter(log.folder, { ...log, channel, onFlushed: () => () => true });
    try {
      return writer.resume();
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      writer.close();
    }
  };
  assert.is(outcome({}), last + 1);
  assert.is(outcome({ first: last + 1 }), last + 1);
  assert.is(
    outcome({ first: last + 2, durableSn: last + 5 }),
    "SVC3340",
    "the log lacks the next one",
  );
  assert.is(
    outcome({ durableSn: last - 1 }),
    "SVC3340",
    "the log was restored to an earlier state",
  );
  assert.is(outcome({ logId: "e".repeat(32) }), "SVC3340");
  assert.ok(existsSync(log.folder));
});

test.run();
