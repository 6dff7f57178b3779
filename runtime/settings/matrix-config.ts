// The `dispatcher` configuration: validates user input completely and fills in every default
// (http-interface, "Dispatcher configuration", which also specifies the messages). Pure: opens no
// connections and resolves no names.

import { ArgumentError } from "../base/errors.js";
import {
  CONNECT_TIMEOUT_MS,
  DEFAULT_CHANNELS,
  DEFAULT_DISPATCH_TIMEOUT_MS,
  DEFAULT_PRIORITY,
  MAX_CHANNELS,
  MAX_DISPATCH_TIMEOUT_MS,
  MAX_MATRIX_DIMENSION,
  MAX_PRIORITY,
  MAX_REFERENCE_COST,
  MAX_SLOTS,
  MIN_SLOTS,
} from "../base/limits.js";
import type { IdentifiedRuns } from "../base/slot-map.js";
import type { TlsPaths } from "../base/tls-paths.js";
import { type Path, type Problem, type Problems, problemText, type Rule } from "./rules.js";

/** PEM files; without a CA, Node's built-in certificates. */
export interface BackEndTls extends TlsPaths {
  /** Name in the certificates of back-ends; null: their host. */
  readonly name: string | null;
}

export interface BackEndAddress {
  readonly host: string;
  /** Main port of the back-end. */
  readonly port: number;
}

/** Common properties of the back-ends in a row. */
export interface ReplicaRow {
  /** Maximum connections to each back-end. */
  readonly channels: number;
  /** Cost of one running request. */
  readonly priority: number;
  /** The back-ends form groups with the other rows: only the leader of a group gets requests. */
  readonly isLeader?: true;
}

export interface MatrixConfig {
  /** By partition, then replica. */
  readonly partitions: readonly (readonly BackEndAddress[])[];
  readonly replicas: readonly ReplicaRow[];
  /** Row that receives primary and targeted requests. */
  readonly primaryRow: number;
  readonly allowIncomplete: boolean;
  /** Minimum coverage of a partial result. */
  readonly minCoverage: number;
  /** Partitions that a partial result must include. */
  readonly required: readonly number[];
  /** Timeout for a response of a back-end, 0 for no limit. */
  readonly timeoutMs: number;
  /** Time after which a sufficient partial result is returned; 0 for never. */
  readonly softTimeoutMs: number;
  /** Timeout to connect to a back-end. */
  readonly connectTimeoutMs: number;
  /** Whether late requests of readonly plugins are hedged to a second replica. */
  readonly hedge: boolean;
  /** Partition of each slot; null: no header field selects partitions by key. */
  readonly slots: IdentifiedRuns | null;
  /** Null: connections to back-ends are not encrypted. */
  readonly tls: BackEndTls | null;
}

type Dict = Readonly<Record<string, unknown>>;

/**
 * Validates a configuration.
 * @param maxDescriptors file descriptors available for connections to back-ends
 * @throws ArgumentError (TypeError or ValueError) whose text begins with the path of the invalid
 *   value
 */
export function readMatrixConfig(
  input: unknown,
  maxDescriptors = Number.POSITIVE_INFINITY,
): MatrixConfig {
  const problems: Problems = [];
  const path = new ConfigPath(["dispatcher"], problems);
  const config = readMatrix(input, path);
  const connections =
    config.partitions.length * config.replicas.reduce((sum, { channels }) => sum + channels, 0);
  if (connections > maxDescriptors) {
    const limit = `the ${maxDescriptors} file descriptors left beside clients (ulimit -n)`;
    path.valueError(`${connections} channels exceed ${limit}`);
  }
  const [first] = problems;
  if (first !== undefined) throw argumentError(first);
  return config;
}

/** Reports all problems of a configuration, and returns it unchanged. */
export const matrixRule: Rule<object> = (value, path, problems) => {
  readMatrix(value, new ConfigPath(path, problems));
  return value as object;
};

/** Returns the library's error for a problem that names its exception. */
export function argumentError(problem: Problem): ArgumentError {
  return new ArgumentError(problem.exception ?? "ValueError", problemText(problem));
}

/** Path of a value, with the list that receives its problems. */
class ConfigPath {
  constructor(
    readonly path: Path,
    readonly problems: Problems,
  ) {}

  inside(...steps: Path): ConfigPath {
    return new ConfigPath([...this.path, ...steps], this.problems);
  }

  typeError(text: string): void {
    this.problems.push({ path: this.path, text, exception: "TypeError" });
  }

  valueError(text: string): void {
    this.problems.push({ path: this.path, text, exception: "ValueError" });
  }
}

function readMatrix(input: unknown, path: ConfigPath): MatrixConfig {
  const dict = asDict(input, path, "dispatcher config must be dict");
  if (dict === null) {
    return { partitions: [], replicas: [], primaryRow: 0, ...readOptions({}, 0, path) };
  }
  refuseUnknown(dict, ["partitions", "replicas", "options", "port", "channels"], path, "");
  const rows = asList(dict.replicas, "replicas", path);
  const columns = asList(dict.partitions, "partitions", path) ?? [];
  const replicas = (rows ?? []).map((row, index) => {
    return readRow(row, index, path.inside("replicas", index), dict.channels);
  });
  const partitions = columns.map((column, index) => {
    const columnPath = path.inside("partitions", index);
    return readPartition(column, index, columnPath, rows?.length ?? null, dict.port);
  });
  const primaryRow = findPrimaryRow(rows ?? [], path.inside("replicas"));
  return {
    partitions,
    replicas,
    primaryRow,
    ...readOptions(dict.options, columns.length, path.inside("options")),
  };
}

function readRow(
  input: unknown,
  index: number,
  path: ConfigPath,
  channelsForAll: unknown,
): ReplicaRow {
  const label = `replicas entry ${index}`;
  const row = asDict(input, path, `entry ${index} must be dict`) ?? {};
  refuseUnknown(row, ["channels", "priority", "primary", "leader"], path, `entry ${index} `);
  const channels = asInteger(
    row.channels ?? channelsForAll ?? DEFAULT_CHANNELS,
    [1, MAX_CHANNELS],
    path.inside("channels"),
    `${label} channels`,
  );
  const priority = asInteger(
    row.priority ?? DEFAULT_PRIORITY,
    [0, MAX_PRIORITY],
    path.inside("priority"),
    `${label} priority`,
  );
  const cost = channels * priority;
  if (cost > MAX_REFERENCE_COST) {
    const product = `max cost ${channels} x ${priority} = ${cost}`;
    path.valueError(`${product} exceeds ${MAX_REFERENCE_COST} (channels x priority)`);
  }
  const { leader = false } = row;
  if (typeof leader !== "boolean") path.inside("leader").typeError("leader must be bool");
  return { channels, priority, ...(leader === true && { isLeader: true }) };
}

/** Returns the row marked as primary, else the first. */
function findPrimaryRow(rows: readonly unknown[], path: ConfigPath): number {
  const marked = rows.flatMap((row, index) => {
    const { primary = false } = (row ?? {}) as Dict;
    if (primary === 1 || primary === true) return [index];
    if (primary !== 0 && primary !== false) {
      path.inside(index, "primary").typeError("primary must be int or bool, 0 or 1");
    }
    return [];
  });
  if (marked.length > 1) path.valueError("at most one primary allowed");
  return marked[0] ?? 0;
}

/** @param height replicas of each partition, null if unknown */
function readPartition(
  input: unknown,
  index: number,
  path: ConfigPath,
  height: number | null,
  portForAll: unknown,
): BackEndAddress[] {
  if (!Array.isArray(input)) {
    path.typeError(`part ${index} must be list`);
    return [];
  }
  if (height !== null && input.length !== height) {
    const numbers = `${input.length} in place of ${height}`;
    path.valueError(`part ${index} incorrect number of hosts (${numbers})`);
    return [];
  }
  return Array.from(input, (entry, replica) => {
    return readAddress(entry, path.inside(replica), `part ${index} entry ${replica}`, portForAll);
  });
}

function readAddress(
  input: unknown,
  path: ConfigPath,
  label: string,
  portForAll: unknown,
): BackEndAddress {
  const entry = asDict(input, path, `${label} must be dict`);
  if (entry === null) return { host: "", port: 0 };
  refuseUnknown(entry, ["host", "port"], path, `${label} `);
  const { host, port = portForAll } = entry;
  const hostPath = path.inside("host");
  if (host === undefined) hostPath.valueError(`${label} host missing`);
  else if (typeof host !== "string") hostPath.typeError(`${label} host must be string`);
  else if (host === "") hostPath.valueError(`${label} host cannot be empty`);
  const portPath = path.inside("port");
  if (port === undefined) portPath.valueError(`${label} port missing`);
  else if (!Number.isInteger(port)) portPath.typeError(`${label} port must be int`);
  else if ((port as number) < 1 || (port as number) > 65535) {
    portPath.valueError(`${label} port out of range: ${port}`);
  }
  return { host: host as string, port: port as number };
}

type Options = Omit<MatrixConfig, "partitions" | "replicas" | "primaryRow">;

const OPTION_NAMES = [
  "allow-incomplete",
  "min-coverage",
  "required",
  "timeout",
  "soft-timeout",
  "connect-timeout",
  "hedge",
  "tls",
  "slots",
];

/** @param width number of partitions */
function readOptions(input: unknown, width: number, path: ConfigPath): Options {
  const options = asDict(input ?? {}, path, "options must be dict") ?? {};
  refuseUnknown(options, OPTION_NAMES, path, "options ");
  const flag = (name: string): boolean => {
    const value = options[name] ?? false;
    if (typeof value !== "boolean") path.inside(name).typeError(`option ${name} must be bool`);
    return value === true;
  };
  const milliseconds = (name: string, defaultMs: number, min: number): number => {
    const range: [number, number] = [min, MAX_DISPATCH_TIMEOUT_MS];
    return asInteger(options[name] ?? defaultMs, range, path.inside(name), `option ${name}`);
  };
  return {
    allowIncomplete: flag("allow-incomplete"),
    minCoverage: readMinCoverage(options["min-coverage"] ?? 0, path.inside("min-coverage")),
    required: readRequired(options.required ?? [], width, path.inside("required")),
    timeoutMs: milliseconds("timeout", DEFAULT_DISPATCH_TIMEOUT_MS, 0),
    softTimeoutMs: milliseconds("soft-timeout", 0, 0),
    connectTimeoutMs: milliseconds("connect-timeout", CONNECT_TIMEOUT_MS, 1),
    hedge: flag("hedge"),
    tls: readTls(options.tls ?? false, path.inside("tls")),
    slots: readSlots(options.slots ?? null, width, path.inside("slots")),
  };
}

const SLOTS_ID = /^[0-9a-f]{16}$/;

/** Slots of the system descriptor: `{id, count, runs: [[first slot, partition], ...]}`. */
function readSlots(input: unknown, width: number, path: ConfigPath): IdentifiedRuns | null {
  if (input === null) return null;
  const dict = asDict(input, path, "option slots must be dict") ?? {};
  refuseUnknown(dict, ["count", "runs", "id", "groups"], path, "option slots ");
  const { count, runs, id, groups } = dict as unknown as IdentifiedRuns;
  if (id !== undefined && !(typeof id === "string" && SLOTS_ID.test(id))) {
    path.inside("id").valueError("option slots id must be 16 hexadecimal digits");
    return null;
  }
  if (groups !== undefined && !areGroups(groups, width)) {
    path.inside("groups").valueError("option slots groups must be a list of names per partition");
    return null;
  }
  const isCount = Number.isInteger(count) && Math.log2(count) % 1 === 0;
  if (!isCount || count < MIN_SLOTS || count > MAX_SLOTS) {
    const range = `from ${MIN_SLOTS} to ${MAX_SLOTS}`;
    path.inside("count").valueError(`option slots count must be a power of two ${range}`);
    return null;
  }
  const isAscending = (run: unknown, index: number): boolean => {
    const [first, partition] = Array.isArray(run) && run.length === 2 ? run : [];
    if (!Number.isInteger(first) || !Number.isInteger(partition)) return false;
    const isNext = index === 0 ? first === 0 : first > runs[index - 1]![0] && first < count;
    return isNext && partition >= -1 && partition < width;
  };
  if (Array.isArray(runs) && runs.length > 0 && runs.every(isAscending)) {
    const system = { ...(id !== undefined && { id }), ...(groups !== undefined && { groups }) };
    return { count, runs, ...system };
  }
  const text = `ascending [slot, partition] from slot 0, with partitions -1 to ${width - 1}`;
  path.inside("runs").valueError(`option slots runs must be ${text}`);
  return null;
}

function areGroups(input: unknown, width: number): boolean {
  if (!Array.isArray(input) || input.length !== width) return false;
  return input.every((names) => {
    return Array.isArray(names) && names.every((name) => typeof name === "string");
  });
}

/** `true` for back-ends with certificates of a public CA, else files. */
function readTls(input: unknown, path: ConfigPath): BackEndTls | null {
  if (input === false) return null;
  const dict = input === true ? {} : (asDict(input, path, "option tls must be bool or dict") ?? {});
  refuseUnknown(dict, ["ca", "cert", "key", "name"], path, "option tls ");
  const text = (key: string): string | null => {
    const value = dict[key] ?? null;
    const isText = typeof value === "string" && /^(?=.*\S)[^\p{Cc}]{1,4096}$/u.test(value);
    if (value !== null && !isText) path.inside(key).typeError(`option tls ${key} must be string`);
    return isText ? value : null;
  };
  const tls = { ca: text("ca"), cert: text("cert"), key: text("key"), name: text("name") };
  if ((tls.cert === null) !== (tls.key === null)) {
    path.valueError("option tls needs cert and key, or neither");
  }
  return tls;
}

function readMinCoverage(input: unknown, path: ConfigPath): number {
  if (typeof input !== "number") path.typeError("option min-coverage must be float");
  else if (!(input >= 0 && input <= 1)) path.valueError("option min-coverage must be 0.0 to 1.0");
  return input as number;
}

function readRequired(input: unknown, width: number, path: ConfigPath): number[] {
  if (!Array.isArray(input)) {
    path.typeError("option required must be list");
    return [];
  }
  for (const [index, partition] of input.entries()) {
    const isValid = Number.isInteger(partition) && partition >= 0 && partition < width;
    if (!isValid)
      path.inside(index).valueError(`option required must name partitions 0 to ${width - 1}`);
  }
  return input;
}

function asDict(input: unknown, path: ConfigPath, text: string): Dict | null {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input as Dict;
  path.typeError(text);
  return null;
}

/** Returns null for an invalid list. */
function asList(input: unknown, key: string, outer: ConfigPath): readonly unknown[] | null {
  const path = outer.inside(key);
  if (input === undefined) path.valueError(`${key} information missing`);
  else if (!Array.isArray(input)) path.typeError(`${key} must be list`);
  else if (input.length === 0) path.valueError(`${key} cannot be empty`);
  else if (input.length > MAX_MATRIX_DIMENSION) {
    path.valueError(`${key} ${input.length} out of range 1-${MAX_MATRIX_DIMENSION}`);
  } else return Array.from(input);
  return null;
}

/** Returns the minimum for an invalid number. */
function asInteger(
  input: unknown,
  [min, max]: readonly [number, number],
  path: ConfigPath,
  label: string,
): number {
  const value = input as number;
  if (!Number.isInteger(input)) path.typeError(`${label} must be int`);
  else if (value >= min && value <= max) return value;
  else path.valueError(`${label} ${value} out of range ${min}-${max}`);
  return min;
}

function refuseUnknown(dict: Dict, known: string[], path: ConfigPath, label: string): void {
  const unknown = Object.keys(dict).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const names = unknown.map((key) => JSON.stringify(key)).join(", ");
  path.valueError(`${label}contains ${unknown.length} invalid key(s): ${names}`);
}
