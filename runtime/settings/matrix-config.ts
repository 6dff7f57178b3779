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
  given: unknown,
  maxDescriptors = Number.POSITIVE_INFINITY,
): MatrixConfig {
  const problems: Problems = [];
  const at = new ConfigPath(["dispatcher"], problems);
  const config = readMatrix(given, at);
  const connections =
    config.partitions.length * config.replicas.reduce((sum, { channels }) => sum + channels, 0);
  if (connections > maxDescriptors) {
    const limit = `the ${maxDescriptors} file descriptors left beside clients (ulimit -n)`;
    at.valueError(`${connections} channels exceed ${limit}`);
  }
  const [first] = problems;
  if (first !== undefined) throw argumentError(first);
  return config;
}

/** Reports all problems of a configuration, and returns it as given. */
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

function readMatrix(given: unknown, at: ConfigPath): MatrixConfig {
  const dict = asDict(given, at, "dispatcher config must be dict");
  if (dict === null) {
    return { partitions: [], replicas: [], primaryRow: 0, ...readOptions({}, 0, at) };
  }
  refuseUnknown(dict, ["partitions", "replicas", "options", "port", "channels"], at, "");
  const rows = asList(dict.replicas, "replicas", at);
  const columns = asList(dict.partitions, "partitions", at) ?? [];
  const replicas = (rows ?? []).map((row, index) => {
    return readRow(row, index, at.inside("replicas", index), dict.channels);
  });
  const partitions = columns.map((column, index) => {
    const place = at.inside("partitions", index);
    return readPartition(column, index, place, rows?.length ?? null, dict.port);
  });
  const primaryRow = primaryRowOf(rows ?? [], at.inside("replicas"));
  return {
    partitions,
    replicas,
    primaryRow,
    ...readOptions(dict.options, columns.length, at.inside("options")),
  };
}

function readRow(
  given: unknown,
  index: number,
  at: ConfigPath,
  channelsForAll: unknown,
): ReplicaRow {
  const what = `replicas entry ${index}`;
  const row = asDict(given, at, `entry ${index} must be dict`) ?? {};
  refuseUnknown(row, ["channels", "priority", "primary", "leader"], at, `entry ${index} `);
  const channels = asInteger(
    row.channels ?? channelsForAll ?? DEFAULT_CHANNELS,
    [1, MAX_CHANNELS],
    at.inside("channels"),
    `${what} channels`,
  );
  const priority = asInteger(
    row.priority ?? DEFAULT_PRIORITY,
    [0, MAX_PRIORITY],
    at.inside("priority"),
    `${what} priority`,
  );
  const cost = channels * priority;
  if (cost > MAX_REFERENCE_COST) {
    const product = `max cost ${channels} x ${priority} = ${cost}`;
    at.valueError(`${product} exceeds ${MAX_REFERENCE_COST} (channels x priority)`);
  }
  const { leader = false } = row;
  if (typeof leader !== "boolean") at.inside("leader").typeError("leader must be bool");
  return { channels, priority, ...(leader === true && { isLeader: true }) };
}

/** Returns the row marked as primary, else the first. */
function primaryRowOf(rows: readonly unknown[], at: ConfigPath): number {
  const marked = rows.flatMap((row, index) => {
    const { primary = false } = (row ?? {}) as Dict;
    if (primary === 1 || primary === true) return [index];
    if (primary !== 0 && primary !== false) {
      at.inside(index, "primary").typeError("primary must be int or bool, 0 or 1");
    }
    return [];
  });
  if (marked.length > 1) at.valueError("at most one primary allowed");
  return marked[0] ?? 0;
}

/** @param height replicas of each partition, null if unknown */
function readPartition(
  given: unknown,
  index: number,
  at: ConfigPath,
  height: number | null,
  portForAll: unknown,
): BackEndAddress[] {
  if (!Array.isArray(given)) {
    at.typeError(`part ${index} must be list`);
    return [];
  }
  if (height !== null && given.length !== height) {
    const numbers = `${given.length} in place of ${height}`;
    at.valueError(`part ${index} incorrect number of hosts (${numbers})`);
    return [];
  }
  return Array.from(given, (entry, replica) => {
    return readAddress(entry, at.inside(replica), `part ${index} entry ${replica}`, portForAll);
  });
}

function readAddress(
  given: unknown,
  at: ConfigPath,
  what: string,
  portForAll: unknown,
): BackEndAddress {
  const entry = asDict(given, at, `${what} must be dict`);
  if (entry === null) return { host: "", port: 0 };
  refuseUnknown(entry, ["host", "port"], at, `${what} `);
  const { host, port = portForAll } = entry;
  const atHost = at.inside("host");
  if (host === undefined) atHost.valueError(`${what} host missing`);
  else if (typeof host !== "string") atHost.typeError(`${what} host must be string`);
  else if (host === "") atHost.valueError(`${what} host cannot be empty`);
  const atPort = at.inside("port");
  if (port === undefined) atPort.valueError(`${what} port missing`);
  else if (!Number.isInteger(port)) atPort.typeError(`${what} port must be int`);
  else if ((port as number) < 1 || (port as number) > 65535) {
    atPort.valueError(`${what} port out of range: ${port}`);
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
function readOptions(given: unknown, width: number, at: ConfigPath): Options {
  const options = asDict(given ?? {}, at, "options must be dict") ?? {};
  refuseUnknown(options, OPTION_NAMES, at, "options ");
  const flag = (name: string): boolean => {
    const value = options[name] ?? false;
    if (typeof value !== "boolean") at.inside(name).typeError(`option ${name} must be bool`);
    return value === true;
  };
  const milliseconds = (name: string, usual: number, min: number): number => {
    const range: [number, number] = [min, MAX_DISPATCH_TIMEOUT_MS];
    return asInteger(options[name] ?? usual, range, at.inside(name), `option ${name}`);
  };
  return {
    allowIncomplete: flag("allow-incomplete"),
    minCoverage: readMinCoverage(options["min-coverage"] ?? 0, at.inside("min-coverage")),
    required: readRequired(options.required ?? [], width, at.inside("required")),
    timeoutMs: milliseconds("timeout", DEFAULT_DISPATCH_TIMEOUT_MS, 0),
    softTimeoutMs: milliseconds("soft-timeout", 0, 0),
    connectTimeoutMs: milliseconds("connect-timeout", CONNECT_TIMEOUT_MS, 1),
    hedge: flag("hedge"),
    tls: readTls(options.tls ?? false, at.inside("tls")),
    slots: readSlots(options.slots ?? null, width, at.inside("slots")),
  };
}

const SLOTS_ID = /^[0-9a-f]{16}$/;

/** Slots of the system descriptor: `{id, count, runs: [[first slot, partition], ...]}`. */
function readSlots(given: unknown, width: number, at: ConfigPath): IdentifiedRuns | null {
  if (given === null) return null;
  const dict = asDict(given, at, "option slots must be dict") ?? {};
  refuseUnknown(dict, ["count", "runs", "id", "groups"], at, "option slots ");
  const { count, runs, id, groups } = dict as unknown as IdentifiedRuns;
  if (id !== undefined && !(typeof id === "string" && SLOTS_ID.test(id))) {
    at.inside("id").valueError("option slots id must be 16 hexadecimal digits");
    return null;
  }
  if (groups !== undefined && !areGroups(groups, width)) {
    at.inside("groups").valueError("option slots groups must be a list of names per partition");
    return null;
  }
  const isCount = Number.isInteger(count) && Math.log2(count) % 1 === 0;
  if (!isCount || count < MIN_SLOTS || count > MAX_SLOTS) {
    const range = `from ${MIN_SLOTS} to ${MAX_SLOTS}`;
    at.inside("count").valueError(`option slots count must be a power of two ${range}`);
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
  at.inside("runs").valueError(`option slots runs must be ${text}`);
  return null;
}

function areGroups(given: unknown, width: number): boolean {
  if (!Array.isArray(given) || given.length !== width) return false;
  return given.every((names) => {
    return Array.isArray(names) && names.every((name) => typeof name === "string");
  });
}

/** `true` for back-ends with certificates of a public CA, else files. */
function readTls(given: unknown, at: ConfigPath): BackEndTls | null {
  if (given === false) return null;
  const dict = given === true ? {} : (asDict(given, at, "option tls must be bool or dict") ?? {});
  refuseUnknown(dict, ["ca", "cert", "key", "name"], at, "option tls ");
  const text = (key: string): string | null => {
    const value = dict[key] ?? null;
    const isText = typeof value === "string" && /^(?=.*\S)[^\p{Cc}]{1,4096}$/u.test(value);
    if (value !== null && !isText) at.inside(key).typeError(`option tls ${key} must be string`);
    return isText ? value : null;
  };
  const tls = { ca: text("ca"), cert: text("cert"), key: text("key"), name: text("name") };
  if ((tls.cert === null) !== (tls.key === null)) {
    at.valueError("option tls needs cert and key, or neither");
  }
  return tls;
}

function readMinCoverage(given: unknown, at: ConfigPath): number {
  if (typeof given !== "number") at.typeError("option min-coverage must be float");
  else if (!(given >= 0 && given <= 1)) at.valueError("option min-coverage must be 0.0 to 1.0");
  return given as number;
}

function readRequired(given: unknown, width: number, at: ConfigPath): number[] {
  if (!Array.isArray(given)) {
    at.typeError("option required must be list");
    return [];
  }
  for (const [index, partition] of given.entries()) {
    const known = Number.isInteger(partition) && partition >= 0 && partition < width;
    if (!known)
      at.inside(index).valueError(`option required must name partitions 0 to ${width - 1}`);
  }
  return given;
}

function asDict(given: unknown, at: ConfigPath, text: string): Dict | null {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Dict;
  at.typeError(text);
  return null;
}

/** Returns null for an invalid list. */
function asList(given: unknown, key: string, outer: ConfigPath): readonly unknown[] | null {
  const at = outer.inside(key);
  if (given === undefined) at.valueError(`${key} information missing`);
  else if (!Array.isArray(given)) at.typeError(`${key} must be list`);
  else if (given.length === 0) at.valueError(`${key} cannot be empty`);
  else if (given.length > MAX_MATRIX_DIMENSION) {
    at.valueError(`${key} ${given.length} out of range 1-${MAX_MATRIX_DIMENSION}`);
  } else return Array.from(given);
  return null;
}

/** Returns the minimum for an invalid number. */
function asInteger(
  given: unknown,
  [least, most]: readonly [number, number],
  at: ConfigPath,
  what: string,
): number {
  const value = given as number;
  if (!Number.isInteger(given)) at.typeError(`${what} must be int`);
  else if (value >= least && value <= most) return value;
  else at.valueError(`${what} ${value} out of range ${least}-${most}`);
  return least;
}

function refuseUnknown(dict: Dict, known: string[], at: ConfigPath, what: string): void {
  const unknown = Object.keys(dict).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const names = unknown.map((key) => JSON.stringify(key)).join(", ");
  at.valueError(`${what}contains ${unknown.length} invalid key(s): ${names}`);
}
