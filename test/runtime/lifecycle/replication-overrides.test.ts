// What was changed of replication while it ran is done again where its thread was replaced.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Control } from "../../../runtime/interconnect/control.js";
import { ReplicationOverrides } from "../../../runtime/lifecycle/replication-overrides.js";

const test = suite("remembered controls");

function after(attach: readonly string[], ...controls: readonly Control[]): Control[] {
  const remembered = new ReplicationOverrides(attach);
  for (const control of controls) remembered.note(control);
  return remembered.all();
}

test("what was not changed is as configured", () => {
  assert.equal(after(["a:1"]), []);
  assert.equal(after(["a:1"], { do: "attached" }, { do: "fence", timeoutMs: 1 }), []);
});

test("subscribers are those of the configuration and what became of them", () => {
  const detachAll = { do: "detach", uri: null } as const;
  assert.equal(after(["a:1", "b:2"], { do: "detach", uri: "svc://a:1/" }), [
    detachAll,
    { do: "attach", uri: "b:2" },
  ]);
  assert.equal(after(["a:1"], detachAll, { do: "attach", uri: "c:3" }), [
    detachAll,
    { do: "attach", uri: "c:3" },
  ]);
});

test("a stream stays what it was configured or attached as, whatever becomes of others", () => {
  const [detachAll, plain] = [{ do: "detach", uri: null } as const, "nats://n:1,m:2/CHANGES"];
  const stream = `${plain}?replicas=3`;
  const attach = { do: "attach", uri: stream } as const;
  assert.equal(after(["a:1", stream], { do: "detach", uri: "a:1" }), [detachAll, attach]);
  assert.equal(after([], attach), [detachAll, attach]);
  assert.equal(after([], attach, { do: "detach", uri: plain }), [detachAll]);
});

test("the last of what excludes each other counts", () => {
  const bind = { do: "bind", port: 7 } as const;
  assert.equal(after([], bind), [bind]);
  assert.equal(after([], bind, { do: "unbind" }), [{ do: "unbind" }]);
  assert.equal(after([], bind, { do: "promote" }), [], "the root says so itself");
  assert.equal(after([], { do: "unbind" }, { do: "promote" }), [{ do: "unbind" }]);
  const suspend = { do: "suspend", what: "input" } as const;
  assert.equal(after([], suspend), [suspend]);
  assert.equal(after([], suspend, { do: "resume", what: "input" }), []);
  const throttle = { do: "throttle", unit: "bytes", rate: 5 } as const;
  assert.equal(after([], throttle), [throttle]);
  assert.equal(after([], throttle, { ...throttle, rate: null }), []);
});

test.run();
