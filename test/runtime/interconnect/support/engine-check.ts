// Everything that the state machine of a member relies on, of any leadership engine.

import * as assert from "uvu/assert";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import type { LeadershipEngine } from "../../../../runtime/interconnect/leadership/leadership.js";

export const TIMEOUT_MS = 2_000;

export function encodeRecord(holder: string, epoch: number): string {
  return JSON.stringify({ holder, epoch });
}

/** @param stop ends the service */
export async function checkEngine(
  uri: string,
  stop: () => Promise<void>,
  open: (group: string) => LeadershipEngine = (group) => openEngine(uri, group, TIMEOUT_MS),
): Promise<void> {
  const [member, sameMember] = [open("B1"), open("B1")];
  const second = open("B2");
  try {
    const empty = await member.read();
    assert.is(empty.text, null);
    const first = await member.swap(empty.revision, encodeRecord("B1", 1));
    assert.equal(await sameMember.read(), { revision: first, text: encodeRecord("B1", 1) });
    assert.is(
      await sameMember.swap(empty.revision, encodeRecord("S1", 2)),
      null,
      "an old revision",
    );
    const both = await Promise.all([
      member.swap(first!, encodeRecord("B1", 2)),
      sameMember.swap(first!, encodeRecord("S1", 2)),
    ]);
    assert.is(both.filter((revision) => revision !== null).length, 1, "one of two writers");
    const last = await member.read();
    assert.ok(both.includes(last.revision));
    assert.match(last.text ?? "", '"epoch":2');
    assert.is((await second.read()).text, null, "another record");
    await stop();
    for (const engine of [member, sameMember]) {
      assert.is(
        await engine.read().then(
          () => "answered",
          () => "failed",
        ),
        "failed",
      );
      const swapped = engine.swap(last.revision, encodeRecord("S1", 3));
      assert.is(
        await swapped.then(
          () => "answered",
          () => "failed",
        ),
        "failed",
      );
    }
  } finally {
    for (const engine of [member, sameMember, second]) await engine.close();
  }
}
