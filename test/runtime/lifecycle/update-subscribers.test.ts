// ADMIN_UpdateSubscribers is atomic: it applies all changes or none.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Control } from "../../../runtime/interconnect/control.js";
import type { Parts } from "../../../runtime/lifecycle/operation.js";
import { STREAM_OPERATIONS } from "../../../runtime/lifecycle/stream-operations.js";

const test = suite("update subscribers");
const update = new Map(STREAM_OPERATIONS).get("UpdateSubscribers")!;

const STREAM = "nats://n:1/CHANGES";

/** An instance with a stream and subscribers that refuses some attachments. */
function instance(rejectedUris: readonly string[] = []) {
  let attached: string[] = [STREAM, "svc://a:1", "svc://b:2"];
  const steps: string[] = [];
  const control = async (command: Control): Promise<unknown> => {
    if (command.do === "attached") return attached;
    if (command.do !== "attach" && command.do !== "detach") throw new Error(command.do);
    const uri = String(command.uri);
    if (command.do === "attach" && rejectedUris.includes(uri)) throw new Error("it needs a key");
    steps.push(`${command.do} ${uri}`);
    attached = attached.filter((address) => address !== uri);
    if (command.do === "attach") attached.push(uri);
    return null;
  };
  const parts = { graphs: { control } } as unknown as Parts;
  const run = async (list: unknown): Promise<unknown> => {
    return update(parts, { content: JSON.stringify(list), goal: "[]" });
  };
  return { run, steps, attached: () => attached };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: Error) => error.message,
  );
}

test("attaches new subscribers before it detaches old ones", async () => {
  const subscriber = instance();
  assert.equal(await subscriber.run(["b:2", "c:3", "c:3"]), {
    ...{ action: "attached", added: ["svc://c:3"], removed: ["svc://a:1"], result: [] },
  });
  assert.equal(subscriber.steps, ["attach svc://c:3", "detach svc://a:1"]);
  assert.equal(subscriber.attached(), [STREAM, "svc://b:2", "svc://c:3"]);
});

test("changes nothing for an invalid address", async () => {
  for (const invalidSubscriber of [
    "nonsense",
    "d:0",
    "svc://d:4",
    5,
    null,
    { toString: 1 },
    ["d:4"],
  ]) {
    const subscriber = instance();
    assert.match(await refusal(subscriber.run(["c:3", invalidSubscriber])), /^not host:port: /);
    assert.equal(subscriber.steps, []);
  }
});

test("changes nothing when one cannot be attached", async () => {
  const subscriber = instance(["svc://d:4"]);
  assert.is(await refusal(subscriber.run(["c:3", "d:4"])), "it needs a key");
  assert.equal(subscriber.attached(), [STREAM, "svc://a:1", "svc://b:2"]);
});

test.run();
