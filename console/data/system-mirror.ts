// Copy of the short system overview, which each response updates. An instance with unchanged
// metrics and state remains the same object, so that pages render only differences.

import { isRecord } from "./client.js";
import { instanceState } from "./instance-state.js";
import type { Instance } from "./instances.js";
import { listAt, numberAt, readPath, textAt } from "./node-stat.js";

type Row = readonly unknown[];
type Dict = Record<string, unknown>;

/** Values of the column `health`. */
const SLOW = 2;
const FAILING = 3;
const UNREACHABLE = 4;
const MS_PER_S = 1000;
/** Moments, and what they are shown as. */
const AGES = [
  ["started", "uptime", MS_PER_S],
  ["changed", "idle-ms", 1],
  ["saved", "snapshot-age", MS_PER_S],
] as const;
const OF_DISPATCHER = ["matrix-complete", "matrix-degraded", "matrix-consistent", "back-ends-down"];

interface InstanceMirror {
  readonly id: string;
  readonly type: string;
  readonly address: string;
  readonly provider: string | null;
  /** Ids of a dispatcher's replicas, by partition and row; null for others. */
  readonly replicas: readonly Row[] | null;
  live: Row;
  rest: Row;
  wasBusy: boolean;
  /** By partition and row. */
  cells: Map<string, unknown>;
}

export class SystemMirror {
  /** Id of the serving instance, and name of its system. */
  id = "";
  name = "";
  #revision = "";
  /** Revision whose cells are known. */
  #cells = 0;
  #columns = new Map<string, readonly string[]>();
  #mirrors: readonly InstanceMirror[] = [];
  #instances: readonly Instance[] = [];
  #skewMs = 0;

  /** Returns the query of the next request. */
  query(withCells: boolean): string {
    const query = new URLSearchParams({ form: "short", known: this.#revision });
    if (withCells) query.set("cells", String(this.#cells));
    return query.toString();
  }

  /**
   * Applies a response.
   * @param withCells whether cells were requested
   * @param isBusy whether recent samples of an instance saw changes
   */
  apply(
    answer: unknown,
    withCells: boolean,
    isBusy: (id: string) => boolean = () => false,
  ): readonly Instance[] {
    this.#skewMs = numberAt(answer, "at") - Date.now();
    this.id = textAt(answer, "id");
    this.#revision = textAt(answer, "revision");
    if (readPath(answer, "instances") !== undefined) this.#reset(answer);
    if (withCells) this.#cells = Number(this.#revision.split("-")[1]) || 0;
    const changed = new Set<InstanceMirror>();
    for (const [mirror, row] of this.#rowsOf(answer, "live")) {
      mirror.live = row;
      changed.add(mirror);
    }
    for (const [mirror, row] of this.#rowsOf(answer, "rest")) {
      mirror.rest = row;
      changed.add(mirror);
    }
    for (const [mirror, [partition, row, ...cell]] of this.#rowsOf(answer, "cells")) {
      mirror.cells.set(`${partition}/${row}`, this.#named("cells", cell));
      changed.add(mirror);
    }
    this.#update(changed, isBusy);
    return this.#instances;
  }

  #reset(answer: unknown): void {
    this.name = textAt(answer, "name");
    this.#cells = 0;
    this.#columns = new Map(
      ["live", "rest", "cells"].map((kind) => [kind, listAt(answer, "columns", kind).map(String)]),
    );
    this.#instances = [];
    this.#mirrors = listAt(answer, "instances").map((row) => {
      const [id, type, host, port, provider] = (Array.isArray(row) ? row : []).map((value) =>
        value === null ? null : String(value),
      );
      const matrix = readPath(answer, "matrices", id ?? "");
      return {
        ...{ id: id ?? "", type: type ?? "", address: `${host}:${port}` },
        provider: provider ?? null,
        replicas: Array.isArray(matrix) ? matrix.filter(Array.isArray) : null,
        ...{ live: [], rest: [], wasBusy: false, cells: new Map<string, unknown>() },
      };
    });
  }

  #rowsOf(answer: unknown, kind: string): (readonly [InstanceMirror, Row])[] {
    return listAt(answer, kind).flatMap((row) => {
      const [at, ...values] = Array.isArray(row) ? (row as Row) : [];
      const mirror = this.#mirrors[Number(at)];
      return mirror === undefined ? [] : [[mirror, values] as const];
    });
  }

  #named(kind: string, row: Row): Dict {
    const names = this.#columns.get(kind) ?? [];
    const named: Dict = {};
    names.forEach((name, at) => {
      const value = row[at];
      if (value !== null && value !== undefined) named[name] = value;
    });
    return named;
  }

  /** Reuses the objects of unchanged instances. */
  #update(changed: ReadonlySet<InstanceMirror>, isBusy: (id: string) => boolean): void {
    const before = this.#instances;
    const parts = this.#mirrors.map((mirror, at) => {
      const known = before[at];
      if (known !== undefined && !changed.has(mirror)) return known;
      return { node: this.#nodeOf(mirror), entry: this.#entryOf(mirror) };
    });
    const nodes = new Map(parts.map(({ node }, at) => [this.#mirrors[at]!.id, node]));
    let isSame = before.length === parts.length;
    const found = this.#mirrors.map((mirror, at) => {
      const { id, type, address, provider, wasBusy } = mirror;
      const { node, entry } = parts[at]!;
      const known = before[at];
      mirror.wasBusy = isBusy(id);
      // Only the state of a subscriber depends on others, and on the time.
      if (known === parts[at] && provider === null && mirror.wasBusy === wasBusy) return known!;
      const source = provider === null ? null : nodes.get(provider);
      const state = instanceState(node, entry, source, mirror.wasBusy);
      if (known === parts[at] && known!.state.word === state.word) return known!;
      isSame = false;
      return { id, type, address, provider, node, entry, state };
    });
    if (!isSame) this.#instances = found;
  }

  #nodeOf({ id, live, rest }: InstanceMirror): unknown {
    const [health] = rest as readonly number[];
    if (!health) return null;
    if (health >= FAILING) return undefined;
    const named: Dict = {
      "service-name": id,
      ...this.#named("rest", rest),
      ...this.#named("live", live),
    };
    const { replica, subscribers } = named;
    const node: Dict = {
      ...named,
      replica: { state: replica },
      subscribers: (Array.isArray(subscribers) ? subscribers : []).map((row: unknown) => {
        const [adminport, isConnected, lagMs] = Array.isArray(row) ? row : [];
        const status = isConnected ? "CONNECTED" : "DISCONNECTED";
        return { adminport, status, lag_ms: lagMs };
      }),
    };
    for (const [from, to, unit] of AGES) this.#addAge(node, named, from, to, unit);
    return node;
  }

  /** Updates ages, which increase while nothing arrives. */
  #addAge(node: Dict, named: Dict, from: string, to: string, unit: number): void {
    const since = named[from];
    if (typeof since !== "number") return;
    const get = (): number => Math.max(0, (Date.now() + this.#skewMs - since) / unit);
    Object.defineProperty(node, to, { get, enumerable: true });
  }

  #entryOf({ rest, replicas, cells }: InstanceMirror): unknown {
    const named = this.#named("rest", rest);
    const health = numberAt(named, "health");
    const entry: Dict = {
      error: health >= FAILING,
      slow: health === SLOW || health === FAILING,
    };
    for (const name of OF_DISPATCHER) if (name in named) entry[name] = named[name];
    if (health === UNREACHABLE)
      this.#addAge(entry, named, "unreachable-since", "unreachable-ms", 1);
    if (replicas === null || health >= FAILING) return entry;
    const matrix = replicas.map((column, partition) =>
      column.map((id, row) => {
        const cell = cells.get(`${partition}/${row}`);
        return { ...(isRecord(cell) ? cell : {}), id };
      }),
    );
    return { ...entry, matrix };
  }
}
