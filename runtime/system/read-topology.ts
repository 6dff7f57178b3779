// The topology of a descriptor: who provides whom with changes, and who dispatches to whom.

import {
  DEFAULT_CHANNELS,
  DEFAULT_PRIORITY,
  MAX_CHANNELS,
  MAX_MATRIX_DIMENSION,
  MAX_PRIORITY,
  MAX_REFERENCE_COST,
} from "../base/limits.js";
import { isPlainObject } from "../settings/rules.js";
import type { DescriptorErrors } from "./descriptor-errors.js";
import type { Instance, System, SystemMatrix, SystemRow } from "./system.js";

/** Nobody passes changes on more often; deeper ones are made to let a stack overflow. */
const MAX_DEPTH = 64;

type Transactions = Pick<System, "subscribers" | "providers">;

/** @param instances as they were given, of which only the ids matter here */
export function readTransactions(
  given: unknown,
  instances: unknown,
  complaints: DescriptorErrors,
): Transactions {
  const known = new Set(isPlainObject(instances) ? Object.keys(instances) : []);
  const subscribers = new Map<string, string[]>();
  const providers = new Map<string, string>();
  const visit = (node: unknown, provider: string | null, depth: number): void => {
    if (node === null || node === undefined) return;
    const members = depth > MAX_DEPTH ? null : membersOf(node);
    if (members === null) return complaints.add("invalid transaction topology");
    for (const [id, below] of members) {
      const what = `for instance "${id}"`;
      if (!known.has(id)) {
        complaints.add(`System descriptor topology.transaction instance "${id}" is undefined`);
      } else if (subscribers.has(id)) {
        complaints.add(`System descriptor topology.transaction duplicate ${what}`);
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
  visit(given, null, 0);
  for (const id of known) if (!subscribers.has(id)) subscribers.set(id, []);
  return { subscribers, providers };
}

/** Ids with what is below them; null for what has none of the forms. */
function membersOf(node: unknown): (readonly [string, unknown])[] | null {
  if (isPlainObject(node)) return Object.entries(node);
  if (!Array.isArray(node)) return null;
  const members = node.map((item): readonly [string, unknown] | null => {
    if (typeof item === "string") return [item, null];
    const [id, below] = Array.isArray(item) && item.length === 2 ? item : [];
    return typeof id === "string" ? [id, below] : null;
  });
  return members.includes(null) ? null : (members as (readonly [string, unknown])[]);
}

export function readDispatch(
  given: unknown,
  instances: ReadonlyMap<string, Instance>,
  complaints: DescriptorErrors,
): ReadonlyMap<string, SystemMatrix> {
  const matrices = new Map<string, SystemMatrix>();
  if (given === undefined) return matrices;
  if (!isPlainObject(given)) {
    complaints.at("topology.dispatch", "dict required");
    return matrices;
  }
  for (const [id, rows] of Object.entries(given)) {
    if (!instances.has(id)) {
      complaints.add(`System descriptor topology.dispatch instance "${id}" is undefined`);
      continue;
    }
    const matrix = new MatrixReader(id, instances, complaints).read(rows);
    if (matrix.rows.length > 0) matrices.set(id, matrix);
  }
  return matrices;
}

/** Reads what one dispatcher says. */
class MatrixReader {
  constructor(
    readonly id: string,
    readonly instances: ReadonlyMap<string, Instance>,
    readonly complaints: DescriptorErrors,
  ) {}

  read(given: unknown): SystemMatrix {
    const rows: SystemRow[] = [];
    const engines: string[][] = [];
    let allowIncomplete = false;
    for (const [index, row] of this.#rows(given).entries()) {
      const where = `replica ${index}`;
      if (!isPlainObject(row)) {
        this.#complain(`${where} dict required`);
        continue;
      }
      const { partitions } = row;
      if (isSwitch(row)) {
        allowIncomplete = true;
        continue;
      }
      if (!Array.isArray(partitions) || partitions.length === 0) {
        this.#complain(`row ${index} partitions missing`);
        continue;
      }
      rows.push(this.#row(row, where));
      engines.push(partitions.map((engine) => this.#engine(engine, where)));
    }
    this.#checkShape(rows, engines);
    const width = engines[0]?.length ?? 0;
    const partitions = Array.from({ length: width }, (_, partition) =>
      engines.map((row) => row[partition]!),
    );
    return { partitions, rows, allowIncomplete };
  }

  /** An object is one partition with a replica for each member. */
  #rows(given: unknown): readonly unknown[] {
    if (Array.isArray(given)) return given;
    if (!isPlainObject(given)) {
      this.#complain("list or dict required");
      return [];
    }
    return Object.entries(given).map(([engine, row]) => {
      return isPlainObject(row ?? {}) ? { ...(row as object), partitions: [engine] } : row;
    });
  }

  #row(row: Readonly<Record<string, unknown>>, where: string): SystemRow {
    const channels = this.#number(row, "channels", DEFAULT_CHANNELS, [1, MAX_CHANNELS], where);
    const priority = this.#number(row, "priority", DEFAULT_PRIORITY, [0, MAX_PRIORITY], where);
    const cost = channels * priority;
    if (cost > MAX_REFERENCE_COST) {
      this.#complain(`${where} max cost ${priority} x ${channels} = ${cost} out of range`);
    }
    const { primary = false } = row;
    if (![true, false, 0, 1].includes(primary as boolean)) {
      this.#complain(`${where} 'primary' must be bool or int`);
    }
    return { channels, priority, primary: primary === true || primary === 1 };
  }

  #number(
    row: Readonly<Record<string, unknown>>,
    key: string,
    usual: number,
    [least, most]: readonly [number, number],
    where: string,
  ): number {
    const value = row[key] ?? usual;
    const isRight = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    if (!isRight) this.#complain(`${where} '${key}':${JSON.stringify(value)} out of range`);
    return isRight ? Number(value) : usual;
  }

  #engine(engine: unknown, where: string): string {
    const isKnown = typeof engine === "string" && this.instances.has(engine);
    if (!isKnown) this.#complain(`${where} engine ${String(engine)} is undefined`);
    return String(engine);
  }

  #checkShape(rows: readonly SystemRow[], engines: readonly (readonly string[])[]): void {
    const width = engines[0]?.length ?? 0;
    const odd = engines.findIndex((row) => row.length !== width);
    if (odd >= 0)
      this.#complain(`replica ${odd} has ${engines[odd]!.length} of ${width} partitions`);
    if (width > MAX_MATRIX_DIMENSION || rows.length > MAX_MATRIX_DIMENSION) {
      this.#complain(`${rows.length} replicas of ${width} partitions out of range`);
    }
    const second = rows.findLastIndex(({ primary }) => primary);
    if (second !== rows.findIndex(({ primary }) => primary)) {
      this.#complain(`row ${second} cannot have multiple primary`);
    }
  }

  #complain(text: string): void {
    this.complaints.add(`System descriptor topology.dispatch.${this.id} ${text}`);
  }
}

/** A row without partitions and with a negative priority only says that parts may lack. */
function isSwitch({ partitions, priority }: Readonly<Record<string, unknown>>): boolean {
  const isEmpty = Array.isArray(partitions) && partitions.length === 0;
  return isEmpty && typeof priority === "number" && priority < 0;
}
