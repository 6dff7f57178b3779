// Constraints of values: each keyword at its boundaries, messages, and implication between
// constraints.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FORMATS, type FormatName } from "../../../argspec/limits/formats.js";
import { isImpliedBy } from "../../../argspec/limits/implied.js";
import { applicableLimits, type Limits, limitCheck } from "../../../argspec/limits/limits.js";

const test = suite("constraints");

test("accept values within the limits, and describe the requirement for all others", () => {
  const cases: readonly (readonly [Limits, readonly unknown[], readonly unknown[], string])[] = [
    [{ minimum: 1 }, [1, 2.5], [0.99, -1], "at least 1 is"],
    [{ maximum: 3 }, [3, -9], [3.1], "at most 3 is"],
    [{ exclusiveMinimum: 0 }, [0.1], [0, -1], "more than 0 is"],
    [{ exclusiveMaximum: 1 }, [0.9], [1], "less than 1 is"],
    [{ multipleOf: 0.1 }, [0.3, 0, -1.1], [0.35], "a multiple of 0.1 is"],
    [{ minLength: 2 }, ["ab", "é😀"], ["", "a", "😀"], "at least 2 characters are"],
    [{ maxLength: 1 }, ["", "a", "😀"], ["ab", "😀a"], "at most 1 character is"],
    [{ pattern: "^[a-z]+$" }, ["a", "zz"], ["", "A"], "a string like ^[a-z]+$ is"],
    [{ format: "uuid" }, [FORMATS.uuid.sample], ["x"], "a UUID is"],
    [{ minItems: 1 }, [[1]], [[]], "at least 1 item is"],
    [{ maxItems: 2 }, [[], [1, 2]], [[1, 2, 3]], "at most 2 items are"],
    [
      { uniqueItems: true },
      [
        [1, "1"],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1],
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      ],
      "items that all differ are",
    ],
  ];
  for (const [limits, within, beyond, words] of cases) {
    const check = limitCheck(limits);
    for (const value of within) assert.is(check(value), null, JSON.stringify([limits, value]));
    for (const value of beyond) assert.is(check(value), ` (${words} required)`);
  }
});

test("check the length before the pattern", () => {
  assert.match(limitCheck({ pattern: "^a*$", maxLength: 3 })("b".repeat(9))!, /at most 3/);
});

const WRONG: Readonly<Record<FormatName, readonly string[]>> = {
  date: ["2026-02-29", "2026-13-01", "2026-00-01", "2026-01-32", "26-01-01", "2026-1-1"],
  "date-time": [
    "2026-02-28",
    "2026-02-28 12:00:00Z",
    "2026-02-28T12:00:00",
    "2026-02-28T25:00:00Z",
  ],
  duration: ["", "P", "PT", "1D", "P1", "P1D1Y", "PT1D", "P1.5D", "--P1D", `P${"1".repeat(1e5)}`],
  email: [
    "",
    "@",
    "a@",
    "@b",
    "a b@c.de",
    ".a@b.c",
    "a..b@c.de",
    "a@-b.c",
    `${"a".repeat(65)}@b.c`,
  ],
  hostname: ["", ".", "a..b", "-a", "a_b", "a".repeat(64), "a.".repeat(130)],
  ipv4: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.1.1.1", "1.2.3.4 "],
  ipv6: ["", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "g::", "::1.2.3.256"],
  time: ["12:00", "24:00:00Z", "12:60:00Z", "12:00:00", "12:00:00+25:00"],
  uri: ["", "example.org", "http://a b", "http://a/%zz", "http://é", "1http://a"],
  uuid: ["", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"],
};

test("validate formats", () => {
  for (const [name, texts] of Object.entries(WRONG)) {
    const { fits, sample } = FORMATS[name as FormatName];
    assert.ok(fits(sample), name);
    for (const text of texts) assert.not.ok(fits(text), `${name}: ${text}`);
  }
  for (const text of [
    "::",
    "::1",
    "1::",
    "1:2:3:4:5:6:7:8",
    "::ffff:1.2.3.4",
    "1:2:3:4:5:6:1.2.3.4",
  ]) {
    assert.ok(FORMATS.ipv6.fits(text), text);
  }
  assert.ok(FORMATS.date.fits("2024-02-29") && !FORMATS.date.fits("1900-02-29"));
  assert.ok(FORMATS.duration.fits("-P1Y2M3W4DT5H6M7.123456789S") && FORMATS.duration.fits("PT0S"));
  assert.ok(FORMATS["date-time"].fits("2026-02-28t23:59:60.123+05:30"));
});

test("validate formats of long texts in linear time", () => {
  const long = [
    "a".repeat(1e6),
    "1.".repeat(5e5),
    "a@".repeat(5e5),
    ":".repeat(1e6),
    "-".repeat(1e6),
  ];
  for (const { fits } of Object.values(FORMATS)) for (const text of long) assert.not.ok(fits(text));
});

test("imply wider constraints only", () => {
  const narrow: readonly (readonly [Limits, Limits])[] = [
    [{ minimum: 2 }, { minimum: 1 }],
    [{ minimum: 2 }, { exclusiveMinimum: 1 }],
    [{ exclusiveMinimum: 1 }, { minimum: 1 }],
    [{ maximum: 1 }, { maximum: 2 }],
    [{ exclusiveMaximum: 2 }, { maximum: 2 }],
    [{ multipleOf: 4 }, { multipleOf: 2 }],
    [{ minLength: 2 }, { minLength: 1 }],
    [{ maxItems: 2 }, { maxItems: 3 }],
    [{ pattern: "a", maxLength: 2 }, { pattern: "a" }],
    [{ format: "uuid" }, {}],
  ];
  for (const [narrower, wider] of narrow) {
    assert.ok(isImpliedBy(narrower, wider), JSON.stringify([narrower, wider]));
    assert.not.ok(isImpliedBy(wider, narrower), JSON.stringify([wider, narrower]));
  }
  assert.not.ok(isImpliedBy({ minimum: 1 }, { exclusiveMinimum: 1 }));
  assert.not.ok(isImpliedBy({ pattern: "a" }, { pattern: "b" }));
  assert.ok(isImpliedBy({}, { minLength: 0 }));
});

test("keep only the checkable constraints of foreign schemas", () => {
  const schema = { type: "string", pattern: "(?=a)", format: "colour", maxLength: 3 };
  assert.equal(applicableLimits(schema), { maxLength: 3 });
  assert.equal(applicableLimits({ pattern: "^a$", format: "date" }), {
    pattern: "^a$",
    format: "date",
  });
});

test.run();
