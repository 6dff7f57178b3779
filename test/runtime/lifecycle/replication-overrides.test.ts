// Replication settings changed at run time are restored when the thread is replaced.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Control } from "../../../runtime/interconnect/control.js";
import { ReplicationOverrides } from "../../../runtime/lifecycle/replication-overrides.js";

const test = suite("replication overrides");

function after(attach: readonly string[], ...controls: readonly Control[]): Control[] {
  const remembered = new ReplicationOverrides(attach);
  for (const control of controls) remembered.note(control);
  return remembered.all();
}

test("keeps the configuration without changes", () => {
  assert.equal(after(["a:1"]), []);
  assert.equal(after(["a:1"], { do: "attached" }, { do: "fence", timeoutMs: 1 }), []);
});

test("merges configured subscribers with later changes", () => {
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

test("keeps the options of a stream when other subscribers change", () => {
  const [detachAll, natsUri] = [{ do: "detach", uri: null } as const, "nats://n:1,m:2/CHANGES"];
  const stream = `${natsUri}?replicas=3`;
  const attach = { do: "attach", uri: stream } as const;
  assert.equal(after(["a:1", stream], { do: "detach", uri: "a:1" }), [detachAll, attach]);
  assert.equal(after([], attach), [detachAll, attach]);
  assert.equal(after([], attach, { do: "detach", uri: natsUri }), [detachAll]);
});

test("restores the last of mutually exclusive changes", () => {
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
