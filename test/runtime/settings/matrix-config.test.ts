// Dispatcher configurations: accepted values, defaults, and message and path of every rejection.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ArgumentError } from "../../../runtime/base/errors.js";
import { MAX_DISPATCH_TIMEOUT_MS } from "../../../runtime/base/limits.js";
import { openFileLimit } from "../../../runtime/dispatch/descriptor-limit.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";

const test = suite("matrix config");

interface Report {
  readonly userLimits: { readonly open_files: { readonly soft: number | string } };
}

const HOST = { host: "s1", port: 9100 };
const REFUSED: [name: string, config: unknown, exception: string, message: string][] = [];

function expectRejection(
  config: unknown,
  exception: "TypeError" | "ValueError",
  message: string,
): void {
  REFUSED.push([message, config, exception, message]);
}

function withRows(...replicas: unknown[]): unknown {
  return { partitions: [replicas.map(() => HOST)], replicas };
}

function withColumns(...partitions: unknown[]): unknown {
  return { partitions, replicas: [{}] };
}

function withOptions(options: unknown): unknown {
  return { partitions: [[HOST]], replicas: [{}], options };
}

const ROW = "dispatcher.replicas[1]";
const ENTRY = "dispatcher.partitions[1][0]";
const OPTIONS = "dispatcher.options";

for (const value of [null, undefined, [], "x", 1]) {
  expectRejection(value, "TypeError", "dispatcher: dispatcher config must be dict");
}
expectRejection(
  { ...(withRows({}) as object), rows: 1, b: 2 },
  "ValueError",
  'dispatcher: contains 2 invalid key(s): "rows", "b"',
);

const missing = "replicas information missing";
expectRejection({ partitions: [[HOST]] }, "ValueError", `dispatcher.replicas: ${missing}`);
expectRejection({ replicas: {} }, "TypeError", "dispatcher.replicas: replicas must be list");
expectRejection({ replicas: [] }, "ValueError", "dispatcher.replicas: replicas cannot be empty");
expectRejection(
  withRows(...new Array(128).fill({})),
  "ValueError",
  "dispatcher.replicas: replicas 128 out of range 1-127",
);
expectRejection(withRows({}, 3), "TypeError", `${ROW}: entry 1 must be dict`);
expectRejection(withRows({}, []), "TypeError", `${ROW}: entry 1 must be dict`);
expectRejection(
  withRows({}, { chanels: 1 }),
  "ValueError",
  `${ROW}: entry 1 contains 1 invalid key(s): "chanels"`,
);
for (const channels of [0, 128, -1]) {
  const text = `replicas entry 1 channels ${channels} out of range 1-127`;
  expectRejection(withRows({}, { channels }), "ValueError", `${ROW}.channels: ${text}`);
}
for (const channels of [1.5, "4", true]) {
  const text = "replicas entry 1 channels must be int";
  expectRejection(withRows({}, { channels }), "TypeError", `${ROW}.channels: ${text}`);
}
for (const priority of [-1, 128]) {
  const text = `replicas entry 1 priority ${priority} out of range 0-127`;
  expectRejection(withRows({}, { priority }), "ValueError", `${ROW}.priority: ${text}`);
}
expectRejection(
  withRows({}, { priority: "2" }),
  "TypeError",
  `${ROW}.priority: replicas entry 1 priority must be int`,
);
expectRejection(
  withRows({}, { channels: 64 }),
  "ValueError",
  `${ROW}: max cost 64 x 2 = 128 exceeds 127 (channels x priority)`,
);
for (const primary of [2, -1, "1", null]) {
  const text = "primary must be int or bool, 0 or 1";
  expectRejection(withRows({}, { primary }), "TypeError", `${ROW}.primary: ${text}`);
}
expectRejection(
  withRows({ primary: 1 }, { primary: true }),
  "ValueError",
  "dispatcher.replicas: at most one primary allowed",
);

expectRejection(
  { replicas: [{}] },
  "ValueError",
  "dispatcher.partitions: partitions information missing",
);
expectRejection(
  { replicas: [{}], partitions: {} },
  "TypeError",
  "dispatcher.partitions: partitions must be list",
);
expectRejection(withColumns(), "ValueError", "dispatcher.partitions: partitions cannot be empty");
expectRejection(
  withColumns(...new Array(128).fill([HOST])),
  "ValueError",
  "dispatcher.partitions: partitions 128 out of range 1-127",
);
expectRejection(
  withColumns([HOST], HOST),
  "TypeError",
  "dispatcher.partitions[1]: part 1 must be list",
);
expectRejection(
  withColumns([HOST], [HOST, HOST]),
  "ValueError",
  "dispatcher.partitions[1]: part 1 incorrect number of hosts (2 in place of 1)",
);
expectRejection(
  withColumns([HOST], []),
  "ValueError",
  "dispatcher.partitions[1]: part 1 incorrect number of hosts (0 in place of 1)",
);
for (const [entry, exception, text] of [
  ["s1:9100", "TypeError", `${ENTRY}: part 1 entry 0 must be dict`],
  [{ ...HOST, ip: "" }, "ValueError", `${ENTRY}: part 1 entry 0 contains 1 invalid key(s): "ip"`],
  [{ port: 1 }, "ValueError", `${ENTRY}.host: part 1 entry 0 host missing`],
  [{ host: 7, port: 1 }, "TypeError", `${ENTRY}.host: part 1 entry 0 host must be string`],
  [{ host: "", port: 1 }, "ValueError", `${ENTRY}.host: part 1 entry 0 host cannot be empty`],
  [{ host: "s" }, "ValueError", `${ENTRY}.port: part 1 entry 0 port missing`],
  [{ host: "s", port: "1" }, "TypeError", `${ENTRY}.port: part 1 entry 0 port must be int`],
  [{ host: "s", port: 1.5 }, "TypeError", `${ENTRY}.port: part 1 entry 0 port must be int`],
  [{ host: "s", port: 0 }, "ValueError", `${ENTRY}.port: part 1 entry 0 port out of range: 0`],
  [
    { host: "s", port: 65536 },
    "ValueError",
    `${ENTRY}.port: part 1 entry 0 port out of range: 65536`,
  ],
] as const) {
  expectRejection(withColumns([HOST], [entry]), exception, text);
}

for (const [option, value, exception, text] of [
  ["min-coverage", "1", "TypeError", "option min-coverage must be float"],
  ["min-coverage", 1.1, "ValueError", "option min-coverage must be 0.0 to 1.0"],
  ["min-coverage", Number.NaN, "ValueError", "option min-coverage must be 0.0 to 1.0"],
  ["required", 1, "TypeError", "option required must be list"],
  ["hedge", 1, "TypeError", "option hedge must be bool"],
  ["tls", 1, "TypeError", "option tls must be bool or dict"],
  ["tls", { pin: "x" }, "ValueError", 'option tls contains 1 invalid key(s): "pin"'],
  ["tls", { cert: "a.pem" }, "ValueError", "option tls needs cert and key, or neither"],
  ["connect-timeout", 0, "ValueError", "option connect-timeout 0 out of range 1-"],
  ["soft-timeout", -1, "ValueError", "option soft-timeout -1 out of range 0-"],
] as const) {
  const maximum = text.endsWith("-") ? MAX_DISPATCH_TIMEOUT_MS : "";
  expectRejection(
    withOptions({ [option]: value }),
    exception,
    `${OPTIONS}.${option}: ${text}${maximum}`,
  );
}
expectRejection(
  withOptions({ required: [0, 9] }),
  "ValueError",
  `${OPTIONS}.required[1]: option required must name partitions 0 to 0`,
);

const slots = (count: unknown, runs: unknown) => withOptions({ slots: { count, runs } });
for (const count of [0, 8, 24, 131_072, "16", undefined]) {
  const text = "option slots count must be a power of two from 16 to 65536";
  expectRejection(slots(count, [[0, 0]]), "ValueError", `${OPTIONS}.slots.count: ${text}`);
}
for (const id of ["", "0123456789abcdeg", 5, null]) {
  const text = "option slots id must be 16 hexadecimal digits";
  const config = withOptions({ slots: { id, count: 16, runs: [[0, 0]] } });
  expectRejection(config, "ValueError", `${OPTIONS}.slots.id: ${text}`);
}
for (const runs of [
  ...[undefined, [], [[1, 0]], [[0, 1]], [[0, -2]], [[0]], [[0, 0, 0]], [5], [["0", 0]]],
  ...[
    [
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [16, 0],
    ],
    [
      [0, 0],
      [5, 0],
      [4, 0],
    ],
    [[0, 0.5]],
  ],
]) {
  const text = "ascending [slot, partition] from slot 0, with partitions -1 to 0";
  expectRejection(
    slots(16, runs),
    "ValueError",
    `${OPTIONS}.slots.runs: option slots runs must be ${text}`,
  );
}

for (const options of [[], "x", 1]) {
  expectRejection(withOptions(options), "TypeError", `${OPTIONS}: options must be dict`);
}
expectRejection(
  withOptions({ "allow-incomplet": true }),
  "ValueError",
  `${OPTIONS}: options contains 1 invalid key(s): "allow-incomplet"`,
);
for (const value of [1, 0, "true"]) {
  const text = "option allow-incomplete must be bool";
  const options = { "allow-incomplete": value };
  expectRejection(withOptions(options), "TypeError", `${OPTIONS}.allow-incomplete: ${text}`);
}
expectRejection(
  withOptions({ timeout: "1s" }),
  "TypeError",
  `${OPTIONS}.timeout: option timeout must be int`,
);
expectRejection(
  withOptions({ timeout: -1 }),
  "ValueError",
  `${OPTIONS}.timeout: option timeout -1 out of range 0-2147483647`,
);

for (const [name, config, exception, message] of REFUSED) {
  test(`rejects ${name} (${JSON.stringify(config)?.slice(0, 60)})`, () => {
    try {
      readMatrixConfig(config);
    } catch (error) {
      assert.instance(error, ArgumentError);
      assert.is((error as ArgumentError).message, message);
      assert.is((error as ArgumentError).exceptionName, exception);
      return;
    }
    assert.unreachable("was taken");
  });
}

const DEFAULTS = {
  minCoverage: 0,
  required: [],
  softTimeoutMs: 0,
  connectTimeoutMs: 2000,
  hedge: false,
  tls: null,
  slots: null,
};

test("fills in defaults", () => {
  assert.equal(readMatrixConfig({ partitions: [[HOST, HOST]], replicas: [{}, {}] }), {
    partitions: [[HOST, HOST]],
    replicas: [
      { channels: 32, priority: 2 },
      { channels: 32, priority: 2 },
    ],
    primaryRow: 0,
    ...DEFAULTS,
    allowIncomplete: false,
    timeoutMs: 30_000,
  });
});

test("applies port and channels to all entries without them", () => {
  const config = readMatrixConfig({
    port: 9100,
    channels: 4,
    partitions: [[{ host: "a" }, { host: "b", port: 9200 }]],
    replicas: [{ priority: 0 }, { channels: 127, priority: 1, primary: true }],
    options: { "allow-incomplete": true, timeout: 0 },
  });
  assert.equal(config, {
    partitions: [
      [
        { host: "a", port: 9100 },
        { host: "b", port: 9200 },
      ],
    ],
    replicas: [
      { channels: 4, priority: 0 },
      { channels: 127, priority: 1 },
    ],
    primaryRow: 1,
    ...DEFAULTS,
    allowIncomplete: true,
    timeoutMs: 0,
  });
});

test("accepts only true as primary", () => {
  const config = withRows({ primary: 0 }, { primary: false }, { primary: 1 });
  assert.is(readMatrixConfig(config).primaryRow, 2);
});

test("limits channels to the number of connections", () => {
  const config = { partitions: [[HOST, HOST]], replicas: [{ channels: 60 }, { channels: 40 }] };
  assert.is(readMatrixConfig(config, 100).replicas.length, 2);
  const text = "100 channels exceed the 99 file descriptors";
  assert.throws(
    () => readMatrixConfig(config, 99),
    `dispatcher: ${text} left beside clients (ulimit -n)`,
  );
  const { userLimits } = process.report.getReport() as unknown as Report;
  const soft = Number(userLimits.open_files.soft);
  assert.ok(Number.isNaN(soft) || openFileLimit() <= Math.max(0, soft - 1021 - 256));
});

test("accepts the largest matrix", () => {
  const column = new Array(127).fill(HOST);
  const { partitions, replicas } = readMatrixConfig({
    partitions: new Array(127).fill(column),
    replicas: new Array(127).fill({ channels: 127, priority: 0 }),
  });
  assert.is(partitions.length * replicas.length, 127 * 127);
});

test.run();
