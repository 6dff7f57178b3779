// Options of rate limits, and keys that clients choose.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rateLimit } from "../../../../runtime/plugin/response/rate-limit.js";

const test = suite("rate limit options");

test("are rejected if they are invalid", () => {
  for (const perMinute of [0, -1, 1.5, 100_001, Number.NaN, "60" as never]) {
    assert.throws(() => rateLimit({ by: "client", perMinute }), /invalid perMinute/);
  }
  assert.throws(() => rateLimit({ by: "ip" as never, perMinute: 1 }), /invalid by "ip"/);
  assert.throws(() => rateLimit({ by: "client", perMinute: 1, name: 'a"b' }), /invalid name/);
});

const ADDRESS = "192.0.2.7";
const attacks: readonly [what: string, text: string, name: string, others: string][] = [
  ["the address of another client", `client ${ADDRESS}`, "a", "a"],
  ["a principal", "principal ann", "b", "b"],
  ["the name of another limit", `x client ${ADDRESS}`, "c", "c own x"],
];
for (const [label, text, name, others] of attacks) {
  test(`are not used up by keys that look like ${label}`, () => {
    const limit = rateLimit({ by: () => text, perMinute: 1, name });
    void limit({} as never);
    assert.throws(() => limit({} as never), /more than 1 requests/);
    const byClient = rateLimit({ by: "client", perMinute: 1, name: others });
    // Both throw if the allowance is used up.
    void byClient({ ip: ADDRESS } as never);
    const principal = { sub: "ann" };
    void rateLimit({ by: "principal", perMinute: 1, name: others })({ principal } as never);
    assert.throws(() => byClient({ ip: ADDRESS } as never), /more than 1 requests/);
  });
}

test.run();
