// Invalid options of rate limits.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rateLimit } from "../../../../runtime/plugin/response/rate-limit.js";

const test = suite("rate limit options");

test("are refused if they are invalid", () => {
  for (const perMinute of [0, -1, 1.5, 100_001, Number.NaN, "60" as never]) {
    assert.throws(() => rateLimit({ by: "client", perMinute }), /invalid perMinute/);
  }
  assert.throws(() => rateLimit({ by: "ip" as never, perMinute: 1 }), /invalid by "ip"/);
  assert.throws(() => rateLimit({ by: "client", perMinute: 1, name: 'a"b' }), /invalid name/);
});

test.run();
