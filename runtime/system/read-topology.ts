// Parses the topology of a descriptor: replication trees and dispatch matrices.

import {
  DEFAULT_CHANNELS,
  DEFAULT_PRIORITY,
  MAX_CHANNELS,
  MAX_MATRIX_DIMENSION,
  MAX_PRIORITY,
  MAX_REFERENCE_COST,
} from "../base/limits.js";
import { isPlainObject } from "../base/plain-object.js";
import { type DescriptorErrors, rejectUnknownKeys } from "./descriptor-errors.js";
import type { Instance, System, SystemMatrix, SystemRow } from "./system.js";

/** Deeper trees are not useful; the limit prevents a stack overflow. */
const MAX_DEPTH = 64;

const ROW_KEYS = ["channels", "priority", "primary", "partitions", "comment"];

type Transactions = Pick<System, "subscribers" | "providers">;

/** @param instances `instances` of the descriptor; only its keys are read */
export function readTransactions(
  transactions: unknown,
  instances: unknown,
  errors: DescriptorErrors,
): Transactions {
  const known = new Set(isPlainObject(instances) ? Object.keys(instances) : []);
  const subscribers = new Map<string, string[]>();
  const providers = new Map<string, string>();
  const visit = (node: unknown, provider: string | null, depth: number): void => {
    if (node === null || node === undefined) return;
    const members = depth > MAX_DEPTH ? null : listMembers(node);
    if (members === null) return errors.add("invalid transaction topology");
    for (const [id, below] of members) {
      const instance = `for instance "${id}"`;
      if (!known.has(id)) {
        errors.add(`System descriptor topology.transaction instance "${id}" is undefined`);
      } else if (subscribers.has(id)) {
        errors.add(`System descriptor topology.transaction duplicate ${instance}`);
      } else {
        subscribers.set(id, []);
        if (provider !== null) {
          providers.set(id, provider);
          subscribers.get(provider)!.push(id);
        }
        visit(below, id, depth + 1);
      }
    }
  };
  visit(transactions, null, 0);
  for (const id of known) if (!subscribers.has(id)) subscribers.set(id, []);
  return { subscribers, providers };
}

/** Returns ids with their subtrees; null for an invalid tree. */
function listMembers(node: unknown): (readonly [string, unknown])[] | null {
  if (isPlainObject(node)) return Object.entries(node);
  if (!Array.isArray(node)) return null;
  const members = node.map((item): readonly [string, unknown] | null => {
    if (typeof item === "string") return [item, null];
    const [id, below] = Array.isArray(item) && item.length === 2 ? item : [];
    return typeof id === "string" ? [id, below] : null;
  });
  return members.includes(null) ? null : (members as (readonly [string, unknown])[]);
}

/** @param groups members of each group that elects its leader, by name */
export function readDispatch(
  dispatch: unknown,
  instances: ReadonlyMap<string, Instance>,
  groups: ReadonlyMap<string, readonly string[]>,
  errors: DescriptorErrors,
): ReadonlyMap<string, SystemMatrix> {
  const matrices = new Map<string, SystemMatrix>();
  if (dispatch === undefined) return matrices;
  if (!isPlainObject(dispatch)) {
    errors.at("topology.dispatch", "dict required");
    return matrices;
  }
  for (const [id, rows] of Object.entries(dispatch)) {
    if (!instances.has(id)) {
      errors.add(`System descriptor topology.dispatch instance "${id}" is undefined`);
      continue;
    }
    const matrix = new MatrixReader(id, instances, groups, errors).read(rows);
    if (matrix.rows.length > 0) matrices.set(id, matrix);
  }
  return matrices;
}

/** Parses the matrix of one dispatcher. */
class MatrixReader {
  constructor(
    readonly id: string,
    readonly instances: ReadonlyMap<string, Instance>,
    readonly groups: ReadonlyMap<string, readonly string[]>,
    readonly errors: DescriptorErrors,
  ) {}

  read(matrix: unknown): SystemMatrix {
    const rows: SystemRow[] = [];
    const engines: string[][] = [];
    let allowIncomplete = false;
    for (const [index, row] of this.#listRows(matrix).entries()) {
      const where = `replica ${index}`;
      if (!isPlainObject(row)) {
        this.#reject(`${where} dict required`);
        continue;
      }
      const path = `topology.dispatch.${this.id}[${index}].`;
      rejectUnknownKeys(row, ROW_KEYS, path, this.errors);
      const { partitions } = row;
      if (isPartialResultsRow(row)) {
        allowIncomplete = true;
        continue;
      }
      if (!Array.isArray(partitions) || partitions.length === 0) {
        this.#reject(`row ${index} partitions missing`);
        continue;
      }
      const expanded = this.#expand(partitions, where);
      const isLeader = expanded !== null;
      const { primary, ...read } = this.#readRow(row, where);
      for (const [n, members] of (expanded ?? [partitions]).entries()) {
        rows.push({ ...read, primary: primary && n === 0, leader: isLeader });
        engines.push(members.map((engine) => this.#requireEngine(engine, where)));
      }
    }
    this.#checkShape(rows, engines);
    this.#rejectRepeatedEngines(engines.filter((_, index) => !rows[index]!.leader));
    const width = engines[0]?.length ?? 0;
    const partitions = Array.from({ length: width }, (_, partition) =>
      engines.map((row) => row[partition]!),
    );
    return { partitions, rows, allowIncomplete };
  }

  /** Expands `@group` to one row per member of the groups; null: the row contains no `@group`. */
  #expand(partitions: readonly unknown[], where: string): string[][] | null {
    const isGroup = (name: unknown): name is string => typeof name === "string" && name[0] === "@";
    const names = partitions.filter(isGroup).map((name) => name.slice(1));
    if (names.length === 0) return null;
    const groups = names.map((name) => this.groups.get(name) ?? []);
    const unknown = names.find((name) => !this.groups.has(name));
    if (unknown !== undefined) {
      this.#reject(
        `${where} @${unknown} is no group: set \`leadership\`, and name its first member`,
      );
      return [];
    }
    const height = groups[0]!.length;
    const isEven = groups.every(({ length }) => length === height);
    if (names.length < partitions.length || !isEven) {
      this.#reject(`${where} needs groups of one size in all partitions, or no group`);
      return [];
    }
    return Array.from({ length: height }, (_, n) => groups.map((members) => members[n]!));
  }

  /** An object stands for one partition, with one replica per key. */
  #listRows(matrix: unknown): readonly unknown[] {
    if (Array.isArray(matrix)) return matrix;
    if (!isPlainObject(matrix)) {
      this.#reject("list or dict required");
      return [];
    }
    return Object.entries(matrix).map(([engine, row]) => {
      return isPlainObject(row ?? {}) ? { ...(row as object), partitions: [engine] } : row;
    });
  }

  #readRow(row: Readonly<Record<string, unknown>>, where: string): Omit<SystemRow, "leader"> {
    const channels = this.#readNumber(row, "channels", DEFAULT_CHANNELS, [1, MAX_CHANNELS], where);
    const priority = this.#readNumber(row, "priority", DEFAULT_PRIORITY, [0, MAX_PRIORITY], where);
    const cost = channels * priority;
    if (cost > MAX_REFERENCE_COST) {
      this.#reject(`${where} max cost ${priority} x ${channels} = ${cost} out of range`);
    }
    const { primary = false } = row;
    if (![true, false, 0, 1].includes(primary as boolean)) {
      this.#reject(`${where} 'primary' must be bool or int`);
    }
    return { channels, priority, primary: primary === true || primary === 1 };
  }

  #readNumber(
    row: Readonly<Record<string, unknown>>,
    key: string,
    fallback: number,
    [min, max]: readonly [number, number],
    where: string,
  ): number {
    const value = row[key] ?? fallback;
    const isValid = Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
    if (!isValid) this.#reject(`${where} '${key}':${JSON.stringify(value)} out of range`);
    return isValid ? Number(value) : fallback;
  }

  #requireEngine(engine: unknown, where: string): string {
    const isKnown = typeof engine === "string" && this.instances.has(engine);
    if (!isKnown) this.#reject(`${where} engine ${String(engine)} is undefined`);
    return String(engine);
  }

  #checkShape(rows: readonly SystemRow[], engines: readonly (readonly string[])[]): void {
    const width = engines[0]?.length ?? 0;
    const uneven = engines.findIndex((row) => row.length !== width);
    if (uneven >= 0)
      this.#reject(`replica ${uneven} has ${engines[uneven]!.length} of ${width} partitions`);
    if (width > MAX_MATRIX_DIMENSION || rows.length > MAX_MATRIX_DIMENSION) {
      this.#reject(`${rows.length} replicas of ${width} partitions out of range`);
    }
    const second = rows.findLastIndex(({ primary }) => primary);
    if (second !== rows.findIndex(({ primary }) => primary)) {
      this.#reject(`row ${second} cannot have multiple primary`);
    }
  }

  /** An instance holds the data of one partition, and counts as one replica. */
  #rejectRepeatedEngines(engines: readonly (readonly string[])[]): void {
    const positions = new Map<string, string>();
    for (const [row, members] of engines.entries()) {
      for (const [partition, engine] of members.entries()) {
        const position = `row ${row} partition ${partition}`;
        const earlier = positions.get(engine);
        if (earlier === undefined) positions.set(engine, position);
        else this.#reject(`engine ${engine} is in two places: ${earlier} and ${position}`);
      }
    }
  }

  #reject(text: string): void {
    this.errors.add(`System descriptor topology.dispatch.${this.id} ${text}`);
  }
}

/** Returns whether a row only allows partial results: no partitions and a negative priority. */
function isPartialResultsRow({ partitions, priority }: Readonly<Record<string, unknown>>): boolean {
  const isEmpty = Array.isArray(partitions) && partitions.length === 0;
  return isEmpty && typeof priority === "number" && priority < 0;
}
