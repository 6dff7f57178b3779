// A provider finds a stream that it, or another instance, has written to before.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamState } from "../../../runtime/interconnect/stream/log-stream.js";
import { PROTOCOL } from "../../../runtime/interconnect/wire/peer.js";
import { EPOCH, type FrameEnd } from "./support/graph-log.js";
import { provideStream } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("provider of a stream");
withStoppedTime(test);

/** State of a stream, for a log with frames that end at these positions. */
type Found = (ends: readonly FrameEnd[]) => Partial<StreamState>;

const REFUSALS: Record<string, [state: Found, said: RegExp]> = {
  "transactions of another instance": [
    () => ({ log: "f".repeat(32) }),
    /^SVC3363: .*memory:\/\/stream contains the transactions of another instance/,
  ],
  "more than its log": [
    () => ({ reached: { sn: 9, chain: 1 } }),
    /^SVC3364: .* has changes up to 9, but the local log ends at 4/,
  ],
  "another end than its log": [
    () => ({ reached: { sn: 4, chain: 1 } }),
    /^SVC3364: .* has changes up to 4, which differ from the local log/,
  ],
  "an end within a frame": [
    ([first]) => ({ reached: { sn: 1, chain: first!.chain } }),
    /^SVC3364: .* has changes up to 1, which differ from the local log/,
  ],
  "messages of a later release": [
    () => ({ protocol: PROTOCOL + 1 }),
    /^SVC2532: .* messages of the stream/,
  ],
};

for (const [label, [state, expected]] of Object.entries(REFUSALS)) {
  test(`adds nothing to ${label}`, async () => {
    const { log, receiveState, run, broker, provider, fences, logs, stop } = provideStream();
    await receiveState(state(log.ends));
    assert.match(await run(), expected);
    assert.equal([broker.parts, fences], [1, []]);
    assert.equal(
      [provider.firstNeededSn, provider.hasAcknowledged(0)],
      [Number.POSITIVE_INFINITY, false],
    );
    assert.equal([provider.report().isConnected, provider.report().lagTransactions], [false, 4]);
    assert.ok(logs[0]!.isClosed);
    await stop();
  });
}

test("is fenced by a stream of a higher epoch, and ends", async () => {
  const { receiveState, provider, logLines, fences, broker, stop } = provideStream();
  await receiveState({ epoch: EPOCH + 1, log: "f".repeat(32) });
  await provider.run();
  assert.match(
    logLines.join(),
    /^SVC2535: .*superseded: memory:\/\/stream has epoch 6, this provider 5/,
  );
  assert.equal([fences, broker.parts], [[EPOCH + 1], 1]);
  await stop();
});

test("continues where the stream ends", async () => {
  const { receiveState, run, provider, broker, stop } = provideStream();
  await receiveState();
  assert.is(await run(), "replication: memory://stream attached");
  assert.equal([provider.firstNeededSn, provider.report().lagTransactions], [5, 0]);
  const { isConnected, isSynchronizing } = provider.report();
  assert.equal([isConnected, isSynchronizing], [true, false]);
  assert.is(broker.parts, 3, "what was there, a frame and the state");
  assert.equal([provider.hasAcknowledged(4), provider.hasAcknowledged(5)], [true, false]);
  await stop();
  assert.is(provider.report().isConnected, false);
});

test("adds no transaction to a stream that has all", async () => {
  const { log, receiveState, run, provider, broker, stop } = provideStream();
  await receiveState({ reached: log.ends[2]! });
  assert.is(await run(), "replication: memory://stream attached");
  assert.equal([provider.hasAcknowledged(4), broker.parts], [true, 2]);
  await stop();
});

test("continues behind the first transaction that its log still has", async () => {
  const { log, receiveState, run, broker, stop } = provideStream();
  await log.roll();
  log.write("d");
  log.trim();
  assert.is(log.channel.log.first, 5);
  await receiveState({ reached: log.ends[3]! });
  assert.is(await run(), "replication: memory://stream attached");
  assert.is(broker.parts, 2);
  await stop();
});

for (const [label, state] of Object.entries({
  "was replaced before": { reached: null },
  "is of an earlier protocol": { protocol: PROTOCOL - 1 },
  "is of a former provider": { log: "f".repeat(32), epoch: EPOCH - 1 },
}) as [string, Partial<StreamState>][]) {
  test(`begins again with snapshots when the stream ${label}`, async () => {
    const { log, receiveState, run, provider, broker, stop } = provideStream();
    await receiveState(state);
    log.erase();
    assert.is(await run(), "replication: memory://stream attached");
    const stream = broker.connect();
    // Its messages have taken the place of the previous ones.
    assert.is(await stream.findSnapshotTable(), 2);
    const end = (await stream.readLastState())!;
    assert.equal([end.log, end.epoch], [log.channel.log.logId, EPOCH]);
    assert.is(end.reached?.sn, log.channel.log.last);
    assert.is(provider.firstNeededSn, log.channel.log.last + 1);
    const first = await stream.read(0).next();
    assert.is.not(Buffer.from(first.value!.bytes).toString(), "former", "it is removed");
    assert.is(provider.report().isSynchronizing, false);
    await stop();
  });
}

test.run();
