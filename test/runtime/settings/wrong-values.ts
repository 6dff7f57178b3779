// Invalid values of each setting, and their messages.

import type { SettingName } from "../../../runtime/settings/server-settings.js";

/**
 * The message without the key of the setting; for a nested value, it starts with the rest of its
 * path.
 */
export type WrongValue = readonly [value: unknown, text: RegExp];

const HOST = { host: "a", port: 9100 };
const switches: readonly WrongValue[] = [
  [1, /^: expected true or false, got 1$/],
  ["true", /^: expected true or false, got "true"$/],
  [null, /^: expected true or false, got null$/],
];

export const WRONG_VALUES: Readonly<Record<SettingName, readonly WrongValue[]>> = {
  name: [
    ["", /^: expected a non-empty string, got ""$/],
    [7, /^: expected a non-empty string/],
    [["a"], /^: expected a non-empty string/],
  ],
  root: [
    [null, /^: expected a non-empty string/],
    ["  ", /^: expected a non-empty string/],
    [() => "data", /^: expected a non-empty string, got a function$/],
  ],
  port: [
    [65535, /^: expected an integer from 0 to 65534, got 65535$/],
    [-1, /got -1$/],
    [80.5, /got 80\.5$/],
    [Number.NaN, /got NaN$/],
    ["9000", /got "9000"$/],
    [null, /got null$/],
    [9000n, /got a bigint$/],
  ],
  auth: [
    [1, /^: expected a list of `module#export`, got 1$/],
    ["auth", /^\[0\]: expected `module#export`, got "auth"$/],
    [["../a.ts#auth"], /^\[0\]: expected a path or pattern inside the project/],
  ],
  rateLimit: [
    [{}, /^\.perMinute: expected an integer from 1 to 100000, got nothing$/],
    [{ perMinute: 0 }, /^\.perMinute: expected an integer from 1 to 100000, got 0$/],
    [{ perMinute: 1, by: "ip" }, /^\.by: expected "principal" or "client", got "ip"$/],
    [{ perMinute: 1, per: 1 }, /^\.per: unknown key/],
  ],
  onStart: [
    [1, /^: expected an object, got 1$/],
    ["start", /: expected `module#export`, got "start"$/],
    [{ thread: "a.ts#a" }, /thread/],
  ],
  onStop: [
    [{ instance: "../a.ts#a" }, /^\.instance\[0\]: expected a path or pattern inside the project/],
  ],
  before: [
    ["src/guards.ts#auth", /^: expected a list of `module#export`, got/],
    [["auth"], /^\[0\]: expected `module#export`, got "auth"$/],
    [["../a.ts#auth"], /^\[0\]: expected a path or pattern inside the project/],
  ],
  ip: [
    ["", /^: expected an address or a host name, got ""$/],
    ["256.1.1.1", /got "256\.1\.1\.1"$/],
    ["1.2.3", /got "1\.2\.3"$/],
    ["a b", /got "a b"$/],
    ["::1::", /^: expected/],
    [7, /got 7$/],
  ],
  adminIp: [
    ["300.1.1.1", /^: expected an address or a host name/],
    [{}, /got \{\}$/],
  ],
  prefix: [
    ...["a b", "ä", "/", "a//b", "../x", "svc", "/svc/x", "svc/", 5, "a?b", "%41"].map(
      (value): WrongValue => [
        value,
        /^: expected a path of A-Z .* that does not start with \/svc, got/,
      ],
    ),
  ],
  servicein: switches,
  transport: [
    ["htp", /^: expected one of "auto", "net", "uws", got "htp"$/],
    [null, /got null$/],
    ["toString", /^: expected one of/],
  ],
  cors: [
    ["", /^: expected an origin, on one line, got ""$/],
    ["*\r\nSet-Cookie: a=b", /^: expected an origin, on one line/],
    [true, /got true$/],
  ],
  maxBodyBytes: [
    [-1, /^: expected an integer 0 or more, got -1$/],
    ["10", /got "10"$/],
    [2 ** 60, /^: expected an integer/],
  ],
  idleTimeoutSeconds: [
    [0, /^: expected an integer from 1 to 86400, got 0$/],
    [1.5, /got 1\.5$/],
  ],
  shutdownTimeoutSeconds: [[-1, /^: expected an integer from 0 to 3600, got -1$/]],
  loadTimeoutMs: [[0, /^: expected an integer from 1 to 2147483647, got 0$/]],
  maxConnectionsPerClient: [
    [-1, /^: expected an integer from 0 to 1021, got -1$/],
    [1022, /got 1022$/],
  ],
  maxRequestRatePerClient: [[1.5, /^: expected an integer from 0 to 1000000, got 1\.5$/]],
  maxRunningPerClient: [[33, /^: expected an integer from 0 to 32, got 33$/]],
  stackTraces: switches,
  builtins: [
    ["main", /^: expected one of "all", "trusted", "admin", got "main"$/],
    [true, /got true$/],
  ],
  console: [
    ["main", /^: expected one of "admin", "both", "off", got "main"$/],
    [true, /got true$/],
  ],
  dispatcherNetworks: [
    ["none", /^: expected a list of networks, got "none"$/],
    [["10.0.0.0/33"], /^\[0\]: expected a network/],
  ],
  drainSeconds: [
    [-1, /^: expected an integer from 0 to 3600, got -1$/],
    [3601, /got 3601$/],
    ["5", /got "5"$/],
  ],
  allowedHosts: [
    ["shop.example", /^: expected a list of names, got "shop\.example"$/],
    [["shop.example:80"], /^\[0\]: expected a name such as shop\.example/],
  ],
  proxies: [
    ["10.0.0.0/8", /^: expected a list of networks, got/],
    [["10.0.0.0/33"], /^\[0\]: expected a network/],
  ],
  proxyProtocol: switches,
  trustedNetworks: [
    ["10.0.0.0/8", /^: expected a list of networks, got "10\.0\.0\.0\/8"$/],
    [
      ["300.1.1.1/99"],
      /^\[0\]: expected a network such as 10\.0\.0\.0\/8, got "300\.1\.1\.1\/99"$/,
    ],
    [["::1", "10.0.0.0/33"], /^\[1\]: expected a network/],
    [["10.0.0.0/"], /^\[0\]: expected/],
    [["10.0.0.0/8/8"], /^\[0\]: expected/],
    [[5], /^\[0\]: expected/],
    [new Array(1), /^\[0\]: expected a network such as 10\.0\.0\.0\/8, got nothing$/],
  ],
  api: [
    [7, /^: expected an object, got 7$/],
    [{ versoin: "1" }, /^\.versoin: unknown key, did you mean `version`\?$/],
    [{ version: "1\n2" }, /^\.version: expected a single-line string/],
    [{ license: "" }, /^\.license: expected a single-line string, got ""$/],
    [{ servers: "/" }, /^\.servers: expected a list of URLs, got "\/"$/],
    [{ servers: ["ftp://a"] }, /^\.servers\[0\]: expected a URL with http or https/],
    [{ security: { "a b": { type: "mutualTLS" } } }, /^\.security\.a b: expected a name/],
    [{ security: { key: { type: "toString" } } }, /^\.security\.key: expected an object with type/],
    [{ security: { key: null } }, /^\.security\.key: expected an object with type http, apiKey/],
    [{ security: { key: { type: "oauth2" } } }, /^\.security\.key\.flows: expected an object with/],
    [{ security: { key: { type: "http" } } }, /^\.security\.key\.scheme: expected a word/],
  ],
  plugins: [
    ["a", /^: expected a list of patterns and declarations, got "a"$/],
    [
      ["../a.ts"],
      /^\[0\]: expected a path or pattern inside the project, with \/, got "\.\.\/a\.ts"$/,
    ],
    [["a\0b"], /^\[0\]: expected a path/],
    [[{ name: "1a", engine: "m.ts#f" }], /^\[0\]\.name: expected a name of letters/],
    [[{ name: "a" }], /^\[0\]: expected at least one of engine, pre and post$/],
    [[{ name: "a", engine: "f" }], /^\[0\]\.engine: expected `module#export`/],
    [[{ name: "a", engine: "../m.ts#f" }], /^\[0\]\.engine: expected a path .* inside the project/],
    [[{ name: "a", engine: "m.ts#f", pre: "m.ts#g" }], /^\[0\]: engine cannot be combined/],
  ],
  env: [
    [1, /^: expected `module#export`, got 1$/],
    ["src/env.ts", /^\[0\]: expected `module#export`/],
    [["a.ts#a", "a.ts#b"], /^: expected `module#export`/],
  ],
  builtinScopes: [
    ["a", /^: expected an object, got "a"$/],
    [{ read: "" }, /^\.read: expected a scope, got ""$/],
    [{ change: ["a"] }, /^\.change: expected a scope/],
    [{ write: "a" }, /^\.write: unknown key/],
  ],
  graphs: [
    [{ a: { memory: "tiny" } }, /^\.a\.memory: expected "auto", "large" or "small", got "tiny"$/],
    [[], /^: expected an object, got \[\]$/],
    [{ g: 1 }, /^\.g: expected an object, got 1$/],
    [{ "1g": {} }, /^\.1g: expected a graph name: a letter, then .*, got "1g"$/],
    [{ g: { path: "../x" } }, /^\.g\.path: expected a path inside the data folder, with \//],
    [{ g: { path: "a/b/c/d/e" } }, /^\.g\.path: expected .* of 4 parts at most/],
    [{ g: { path: "node_modules/x" } }, /^\.g\.path: expected/],
    [{ g: { read: "a b" } }, /^\.g\.read: expected a scope, got "a b"$/],
    [{ g: { constraints: {} } }, /^\.g\.constraints: expected a list of constraints, got \{\}$/],
    [{ g: { constraints: [{ type: "a", key: "b", unik: true }] } }, /\.unik: unknown key/],
    [{ g: { vectors: { precision: "f" } } }, /\.vectors\.precision: expected one of "int8", "fl/],
    [
      { g: { vectors: { named: { a: { precision: 2 } } } } },
      /named\.a\.precision: expected one of/,
    ],
    [{ g: { vectors: { measure: 1 } } }, /\.vectors\.measure: expected one of "cosine", "dot"/],
    [{ g: { indexes: {} } }, /^\.g\.indexes: expected a list of indexes, got \{\}$/],
    [{ g: { indexes: ["text"] } }, /^\.g\.indexes\[0\]: expected one of \{ text \}, /],
    [{ g: { indexes: [{ ids: true, property: "a" }] } }, /^\.g\.indexes\[0\]: expected one of/],
    [{ g: { indexes: [{ vectors: { length: 2, signs: 1 } }] } }, /\.vectors\.signs: expected/],
    [{ g: { indexes: [{ text: { keys: "a" } }] } }, /^\.g\.indexes\[0\]\.text\.keys: expected/],
    [{ g: { indexes: [{ text: { keys: ["a"], lang: "en" } }] } }, /\.text\.lang: unknown key/],
    [{ g: { readonl: true } }, /^\.g\.readonl: unknown key, did you mean `readonly`\?$/],
    [{ g: {}, h: { path: "g" } }, /^\.h: graph g is stored in g, too$/],
    [
      Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`g${i}`, {}])),
      /^: expected 64 graphs at most, got 65$/,
    ],
  ],
  logFormat: [["xml", /^: expected one of "auto", "json", "text", got "xml"$/]],
  logLevel: [["trace", /^: expected one of "error", "warn", "info", "debug", got "trace"$/]],
  accessLogSampleEvery: [
    [-1, /^: expected an integer 0 or more, got -1$/],
    [0.5, /got 0\.5$/],
  ],
  collector: [
    ["collector:4318", /^: expected a URL with http: or https:, got "collector:4318"$/],
    ["http://a b", /got "http:\/\/a b"$/],
    [4318, /got 4318$/],
  ],
  dispatcherKeyFile: [["", /^: expected a file path, got ""$/]],
  recordFile: [
    [" ", /^: expected a file path, got " "$/],
    [7, /got 7$/],
  ],
  audit: [
    ["", /^: expected a file path, got ""$/],
    [true, /got true$/],
  ],
  recordSampleEvery: [[0, /^: expected an integer 1 or more, got 0$/]],
  recordBodies: switches,
  traceSampleEvery: [
    [-1, /^: expected an integer 0 or more, got -1$/],
    [0.1, /got 0\.1$/],
  ],
  explain: [[true, /^: expected one of "anyone", "trusted", "off", got true$/]],
  saveEvery: [
    [-1, /^: expected an integer from 0 to 604800, got -1$/],
    [1e9, /^: expected an integer/],
    ["300", /got "300"$/],
  ],
  txPort: [
    [0, /^: expected an integer from 1 to 65535, got 0$/],
    ["7000", /got "7000"$/],
  ],
  attach: [
    ["a:1", /^: expected a list of host:port/],
    [["a"], /host:port, got "a"$/],
    [["a:0"], /got "a:0"$/],
    [["a b:1"], /got "a b:1"$/],
  ],
  publishStream: [
    ["localhost:4222/CHANGES", /^: expected nats:\/\/host:port\/NAME, got/],
    ["nats://localhost:4222", /^: expected nats:/],
    ["nats://localhost:4222/a b", /^: expected nats:/],
    [4222, /^: expected/],
  ],
  followStream: [["http://localhost/CHANGES", /^: expected nats:\/\/host:port\/NAME, got/]],
  archive: [
    ["", /^: expected a folder or s3:\/\/bucket\/prefix, got ""$/],
    ["a\nb", /^: expected a folder/],
    [7, /^: expected a folder or .*got 7$/],
    [{ every: "1s" }, /^\.to: expected a folder/],
    [{ to: "a", every: "1" }, /^\.every: expected a period such as 10s/],
    [{ to: "a", evry: "1s" }, /^\.evry: unknown key, did you mean `every`\?/],
  ],
  txKeyFile: [
    ["a\nb", /^: expected a file path/],
    [7, /got 7$/],
  ],
  retainLogBytes: [
    [-1, /^: expected an integer from 0 to 8589934592, got -1$/],
    ["1 GiB", /got "1 GiB"$/],
  ],
  durability: [
    ["sync", /^: expected one of "off", "async", "full", got "sync"$/],
    [true, /got true$/],
    [null, /got null$/],
  ],
  events: [
    [1, /^: expected true, false or "paused", got 1$/],
    ["on", /got "on"$/],
  ],
  jobs: [
    [1, /^: expected true, false or "auto", got 1$/],
    ["no", /got "no"$/],
  ],
  inline: switches,
  warmUp: switches,
  readonly: switches,
  executors: [
    [0, /^: expected an integer from 1 to 32, or "auto", got 0$/],
    ["all", /got "all"$/],
    [33, /got 33$/],
  ],
  executorHeapMiB: [
    [15, /^: expected an integer 16 or more, or 0, got 15$/],
    [-1, /got -1$/],
  ],
  pluginTimeoutMs: [
    [-1, /^: expected an integer from 0 to 2147483647, got -1$/],
    [2 ** 31, /got 2147483648$/],
  ],
  dispatcher: [
    [[], /^: dispatcher config must be dict$/],
    ["matrix.json", /^: dispatcher config must be dict$/],
    [{ partitions: [[HOST]] }, /^\.replicas: replicas information missing$/],
    [{ partitions: [], replicas: [{}] }, /^\.partitions: partitions cannot be empty$/],
    [{ partitions: [[HOST]], replicas: [{ priority: -1 }] }, /^\.replicas\[0\]\.priority: .*range/],
    [{ partitions: [[HOST]], replicas: [{ channels: 0 }] }, /^\.replicas\[0\]\.channels: .*range/],
    [{ partitions: [[{ port: 1 }]], replicas: [{}] }, /^\.partitions\[0\]\[0\]\.host: .*missing$/],
    [{ partitions: [[HOST]], replicas: [{}], options: { timeout: () => 1 } }, /must be int$/],
    [{ partitions: [[HOST]], replicas: new Array(1) }, /^\.replicas\[0\]: entry 0 must be dict$/],
  ],
  compression: [
    ["gzip", /^: expected one of "off", "public", "all", got "gzip"$/],
    [true, /got true$/],
  ],
  tls: [
    [{ cert: "a.pem" }, /^\.key: expected a file path, got nothing$/],
    [{ cert: "a.pem", key: "", ca: null }, /^\.key: expected a file path, got ""$/],
    [{ cert: "a.pem", key: "b.pem", ca: 1 }, /^\.ca: expected a file path, got 1$/],
    [{ cert: "a.pem", key: "b.pem", passphrase: "x" }, /^\.passphrase: unknown key/],
  ],
  adminKeyFile: [
    ["a\nb", /^: expected a file path/],
    [7, /got 7$/],
  ],
  descriptor: [
    [{ cities: {} }, /^: expected a file path, got \{"cities":\{\}\}$/],
    ["a\nb", /^: expected a file path/],
  ],
};
