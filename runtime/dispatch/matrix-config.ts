// The `dispatcher` configuration: what users write, checked in full and with every default filled
// in (interface, "Dispatcher configuration"). Nothing here opens or looks anything up.

import { ArgumentError } from "../base/errors.js";
import {
  DEFAULT_CHANNELS,
  DEFAULT_DISPATCH_TIMEOUT_MS,
  DEFAULT_PRIORITY,
  MAX_CHANNELS,
  MAX_DISPATCH_TIMEOUT_MS,
  MAX_MATRIX_SIDE,
  MAX_PRIORITY,
  MAX_REFERENCE_COST,
} from "../base/limits.js";

export interface BackEndAddress {
  readonly host: string;
  /** Main port of the back-end. */
  readonly port: number;
}

/** What all back-ends of a row have in common. */
export interface ReplicaRow {
  /** Most connections to each back-end. */
  readonly channels: number;
  /** Cost of one running request. */
  readonly priority: number;
}

export interface MatrixConfig {
  /** By partition, then replica. */
  readonly partitions: readonly (readonly BackEndAddress[])[];
  readonly replicas: readonly ReplicaRow[];
  /** Row that takes primary and targeted requests. */
  readonly primaryRow: number;
  readonly allowIncomplete: boolean;
  /** Longest time that a back-end may take for an answer, 0 for no bound. */
  readonly timeoutMs: number;
}

type Dict = Readonly<Record<string, unknown>>;

/**
 * Reads and checks a configuration.
 * @param maxDescriptors file descriptors that there can be for connections to back-ends
 * @throws ArgumentError (TypeError or ValueError) whose text begins with the path of what is wrong
 */
export function readMatrixConfig(
  given: unknown,
  maxDescriptors = Number.POSITIVE_INFINITY,
): MatrixConfig {
  const dict = asDict(given, "dispatcher", "dispatcher config must be dict");
  refuseUnknown(dict, ["partitions", "replicas", "options", "port", "channels"], "dispatcher", "");
  const rows = asList(dict.replicas, "replicas", MAX_MATRIX_SIDE);
  const columns = asList(dict.partitions, "partitions", MAX_MATRIX_SIDE);
  const replicas = rows.map((row, index) => readRow(row, index, dict.channels));
  const partitions = columns.map((column, index) => {
    return readPartition(column, index, replicas.length, dict.port);
  });
  const connections = partitions.length * replicas.reduce((sum, { channels }) => sum + channels, 0);
  if (connections > maxDescriptors) {
    const limit = `the ${maxDescriptors} file descriptors left beside clients (ulimit -n)`;
    throw valueError("dispatcher", `${connections} channels of all back-ends exceed ${limit}`);
  }
  return { partitions, replicas, primaryRow: primaryRowOf(rows), ...readOptions(dict.options) };
}

function readRow(given: unknown, index: number, channelsForAll: unknown): ReplicaRow {
  const path = `dispatcher.replicas[${index}]`;
  const what = `replicas entry ${index}`;
  const row = asDict(given, path, `entry ${index} must be dict`);
  refuseUnknown(row, ["channels", "priority", "primary"], path, `entry ${index} `);
  const channels = asInteger(
    row.channels ?? channelsForAll ?? DEFAULT_CHANNELS,
    [1, MAX_CHANNELS],
    `${path}.channels`,
    `${what} channels`,
  );
  const priority = asInteger(
    row.priority ?? DEFAULT_PRIORITY,
    [0, MAX_PRIORITY],
    `${path}.priority`,
    `${what} priority`,
  );
  const cost = channels * priority;
  if (cost > MAX_REFERENCE_COST) {
    const product = `max cost ${channels} x ${priority} = ${cost}`;
    throw valueError(path, `${product} exceeds ${MAX_REFERENCE_COST} (channels x priority)`);
  }
  return { channels, priority };
}

/** The row that says so, else the first. */
function primaryRowOf(rows: readonly unknown[]): number {
  const marked = rows.flatMap((row, index) => {
    const { primary = false } = row as Dict;
    const path = `dispatcher.replicas[${index}].primary`;
    if (primary === 0 || primary === false) return [];
    if (primary === 1 || primary === true) return [index];
    throw typeError(path, "primary must be int or bool, 0 or 1");
  });
  if (marked.length > 1) throw valueError("dispatcher.replicas", "at most one primary allowed");
  return marked[0] ?? 0;
}

function readPartition(
  given: unknown,
  index: number,
  height: number,
  portForAll: unknown,
): BackEndAddress[] {
  const path = `dispatcher.partitions[${index}]`;
  if (!Array.isArray(given)) throw typeError(path, `part ${index} must be list`);
  if (given.length !== height) {
    const numbers = `${given.length} in place of ${height}`;
    throw valueError(path, `part ${index} incorrect number of hosts (${numbers})`);
  }
  return given.map((entry, replica) => {
    return readAddress(entry, `${path}[${replica}]`, `part ${index} entry ${replica}`, portForAll);
  });
}

function readAddress(
  given: unknown,
  path: string,
  what: string,
  portForAll: unknown,
): BackEndAddress {
  const entry = asDict(given, path, `${what} must be dict`);
  refuseUnknown(entry, ["host", "port"], path, `${what} `);
  const { host, port = portForAll } = entry;
  if (host === undefined) throw valueError(`${path}.host`, `${what} host missing`);
  if (typeof host !== "string") throw typeError(`${path}.host`, `${what} host must be string`);
  if (host === "") throw valueError(`${path}.host`, `${what} host cannot be empty`);
  if (port === undefined) throw valueError(`${path}.port`, `${what} port missing`);
  if (!Number.isInteger(port)) throw typeError(`${path}.port`, `${what} port must be int`);
  if ((port as number) < 1 || (port as number) > 65535) {
    throw valueError(`${path}.port`, `${what} port out of range: ${port}`);
  }
  return { host, port: port as number };
}

function readOptions(given: unknown): Pick<MatrixConfig, "allowIncomplete" | "timeoutMs"> {
  const path = "dispatcher.options";
  const options = asDict(given ?? {}, path, "options must be dict");
  refuseUnknown(options, ["allow-incomplete", "timeout"], path, "options ");
  const allowIncomplete = options["allow-incomplete"] ?? false;
  if (typeof allowIncomplete !== "boolean") {
    throw typeError(`${path}.allow-incomplete`, "option allow-incomplete must be bool");
  }
  const timeoutMs = asInteger(
    options.timeout ?? DEFAULT_DISPATCH_TIMEOUT_MS,
    [0, MAX_DISPATCH_TIMEOUT_MS],
    `${path}.timeout`,
    "option timeout",
  );
  return { allowIncomplete, timeoutMs };
}

function asDict(given: unknown, path: string, text: string): Dict {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Dict;
  throw typeError(path, text);
}

function asList(given: unknown, key: string, most: number): readonly unknown[] {
  const path = `dispatcher.${key}`;
  if (given === undefined) throw valueError(path, `${key} information missing`);
  if (!Array.isArray(given)) throw typeError(path, `${key} must be list`);
  if (given.length === 0) throw valueError(path, `${key} cannot be empty`);
  if (given.length > most) throw valueError(path, `${key} ${given.length} out of range 1-${most}`);
  return given;
}

function asInteger(
  given: unknown,
  [least, most]: readonly [number, number],
  path: string,
  what: string,
): number {
  if (!Number.isInteger(given)) throw typeError(path, `${what} must be int`);
  const value = given as number;
  if (value >= least && value <= most) return value;
  throw valueError(path, `${what} ${value} out of range ${least}-${most}`);
}

function refuseUnknown(dict: Dict, known: string[], path: string, what: string): void {
  const unknown = Object.keys(dict).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const names = unknown.map((key) => JSON.stringify(key)).join(", ");
  throw valueError(path, `${what}contains ${unknown.length} invalid key(s): ${names}`);
}

function typeError(path: string, text: string): ArgumentError {
  return new ArgumentError("TypeError", `${path}: ${text}`);
}

function valueError(path: string, text: string): ArgumentError {
  return new ArgumentError("ValueError", `${path}: ${text}`);
}
