// Short overview of a system for clients that poll: a client sends the revision that it has, and
// gets the rows that changed since. A read starts a poll of the instances if one is due. Only the
// first read waits for results, and only briefly. In a large system each dispatcher is asked for
// the rows of its whole branch. Not thread-safe.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { recordEvent } from "../base/recent-events.js";
import { BranchReader, type BranchRows } from "./branch-reader.js";
import { descriptorHash } from "./descriptor-hash.js";
import { type Address, unwrapResponse } from "./instance-client.js";
import { Outages } from "./instance-poller.js";
import { compareEntries, computeMatrixFlags, HEALTHY, readNodestat } from "./overview.js";
import {
  handleEach,
  isSlowSince,
  type Polled,
  type PollResult,
  placementFor,
  requestMetrics,
  requestWithRetry,
} from "./poll-instance.js";
import { RevisedRows } from "./revised-rows.js";
import {
  CELL_COLUMNS,
  cellRow,
  HEALTH,
  LIVE_COLUMNS,
  liveRow,
  type MatrixState,
  REST_COLUMNS,
  type Row,
  restRow,
} from "./short-rows.js";
import { listBranch, planSurvey, type SurveyTree } from "./survey-tree.js";
import type { Instance, System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

const NODESTAT = "/svc/nodestat";
const MATRIX = "/svc/matrix";
const MIN_EVERY_MS = 1000;
/** Larger systems are polled less often: 1000 instances every 5 seconds. */
const EVERY_MS_PER_INSTANCE = 5;
/** Larger systems are polled by level. */
export const MAX_DIRECT = 200;
/** Cells are requested from dispatchers for this long after a client requested them. */
const CELLS_MS = 10_000;
/** How long the first read waits for results. */
const FIRST_WAIT_MS = 300;
const TOKEN_BYTES = 6;
/** Number of key values of a cell, before its columns: dispatcher, partition and replica. */
const CELL_KEYS = 3;
const SERVICE_IN = REST_COLUMNS.indexOf("service-in");
const STATE = CELL_COLUMNS.indexOf("state");

/** Values that depend only on the descriptor. */
type Fixed = Readonly<Record<string, unknown>>;

export interface ShortOverview {
  readonly id: string;
  /** Value of `known` in the next request. */
  readonly revision: string;
  /** Unix time in milliseconds: now, and of the end of the last poll (0: none yet). */
  readonly at: number;
  readonly polled: number;
  readonly [part: string]: unknown;
}

export interface WatchScope {
  /** The instance that watches. */
  readonly self: string;
  /** Whether it watches only itself and the instances below it. */
  readonly isBranch: boolean;
  /** Minimum time between two polls. */
  readonly everyMs?: number;
  /** Largest system that one instance polls alone. */
  readonly maxDirect?: number;
}

/** One request of a poll: an instance for its own metrics, or a dispatcher for its branch. */
interface Survey {
  readonly id: string;
  readonly isBranch: boolean;
}

export class SystemWatch {
  readonly #system: System;
  readonly #secure: TlsContextCache | null;
  readonly #isBranch: boolean;
  readonly #tree: SurveyTree;
  readonly #surveys: readonly Survey[];
  readonly #layout: string;
  readonly #reader: BranchReader;
  /** Number of instances that the rows describe. */
  readonly #size: number;
  /** Ids by position. */
  readonly #ids: readonly string[];
  /** Instances that the current or last poll asked directly, not through a dispatcher. */
  #polledIds = new Set<string>();
  #cellsWantedMs = Number.NEGATIVE_INFINITY;
  readonly #token = randomBytes(TOKEN_BYTES).toString("hex");
  readonly #fixed: Fixed;
  readonly #everyMs: number;
  /** Positions of instances in the rows, by id. */
  readonly #positions: ReadonlyMap<string, number>;
  readonly #outages = new Outages();
  readonly #results = new Map<string, PollResult>();
  readonly #live = new RevisedRows();
  readonly #rest = new RevisedRows();
  readonly #cells = new RevisedRows();
  #revision = 0;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #pollEndMs = 0;
  #poll: Promise<void> | null = null;

  constructor(system: System, secure: TlsContextCache | null, scope: WatchScope) {
    this.#system = system;
    this.#secure = secure;
    this.#isBranch = scope.isBranch;
    const sorted = [...system.instances.values()]
      .map((instance) => ({ instance, ...placementFor(system, instance.id) }))
      .sort(compareEntries);
    this.#ids = sorted.map(({ instance }) => instance.id);
    this.#positions = new Map(this.#ids.map((id, position) => [id, position]));
    this.#fixed = describeSystem(system, sorted);
    this.#layout = hashLayout(system);
    this.#reader = new BranchReader(this.#layout);
    this.#tree = planSurvey(system);
    this.#surveys = this.#planSurveys(scope);
    const { everyMs = MIN_EVERY_MS } = scope;
    this.#everyMs = Math.max(everyMs, this.#surveys.length * EVERY_MS_PER_INSTANCE);
    const members = scope.isBranch ? listBranch(this.#tree, scope.self) : this.#ids;
    this.#size = members.length;
    this.#revision++;
    for (const id of members) {
      this.#rest.set(id, [this.#positions.get(id)!, HEALTH.waiting], this.#revision);
    }
  }

  #planSurveys({ self, isBranch, maxDirect = MAX_DIRECT }: WatchScope): readonly Survey[] {
    if (!isBranch && this.#ids.length <= maxDirect) {
      return this.#ids.map((id) => ({ id, isBranch: false }));
    }
    const ids = isBranch ? [self] : this.#tree.tops;
    // A dispatcher does not send itself a request for its own branch.
    return ids.flatMap((id) => (id === self ? this.#splitBranch(id) : [this.#createSurvey(id)]));
  }

  #createSurvey(id: string): Survey {
    return { id, isBranch: (this.#tree.below.get(id)?.length ?? 0) > 0 };
  }

  /** Returns the surveys that replace the one of a branch. */
  #splitBranch(id: string): readonly Survey[] {
    const below = this.#tree.below.get(id) ?? [];
    return [{ id, isBranch: false }, ...below.map((member) => this.#createSurvey(member))];
  }

  /** Compares by value, because a standalone instance creates its system for each request. */
  isFor(system: System): boolean {
    return system === this.#system || hashLayout(system) === this.#layout;
  }

  /**
   * @param known revision of the client's last response; empty: all rows
   * @param cells number of the revision of the client's cells; negative: omit cells
   */
  async read(id: string, known: string, cells: number): Promise<ShortOverview> {
    if (cells >= 0) this.#cellsWantedMs = performance.now();
    this.#refresh();
    const isFirst = this.#results.size < this.#size;
    if (isFirst) await Promise.race([this.#poll, delay(FIRST_WAIT_MS)]);
    const [token, number] = known.split("-");
    const isKnown = token === this.#token;
    const after = isKnown ? Number(number) || 0 : 0;
    const rows = {
      live: this.#live.after(after),
      rest: this.#rest.after(after),
      cells: cells < 0 ? [] : this.#cells.after(isKnown ? cells : 0),
    };
    const changed = Object.entries(rows).filter(([, changedRows]) => changedRows.length > 0);
    return {
      ...{ id, revision: `${this.#token}-${this.#revision}`, at: Date.now() },
      polled: this.#pollEndMs,
      ...(this.#isBranch ? { layout: this.#layout } : isKnown ? {} : this.#fixed),
      ...Object.fromEntries(changed),
    };
  }

  /** Starts a poll if one is due and none is running. */
  #refresh(): void {
    const now = performance.now();
    if (this.#poll !== null || now - this.#polledAtMs < this.#everyMs) return;
    this.#polledAtMs = now;
    this.#polledIds = new Set();
    this.#poll = handleEach(this.#surveys, (survey) => this.#survey(survey)).then(() => {
      this.#poll = null;
      this.#storeMatrices();
      this.#pollEndMs = Date.now();
    });
  }

  /** @returns the surveys to run instead, if a dispatcher does not respond for its branch */
  async #survey({ id, isBranch }: Survey): Promise<readonly Survey[]> {
    if (!isBranch) {
      this.#storeResult(await this.#pollInstance(this.#system.instances.get(id)!));
      return [];
    }
    const { host, hport } = this.#system.instances.get(id)!;
    const address: Address = { host, port: hport + 1, secure: this.#secure };
    const members = new Set(
      listBranch(this.#tree, id).map((member) => this.#positions.get(member)!),
    );
    const wantsCells = performance.now() - this.#cellsWantedMs < CELLS_MS;
    const rows = await this.#reader.read(id, address, members, wantsCells);
    if (rows === null) return this.#splitBranch(id);
    this.#storeBranch(rows);
    return [];
  }

  #storeBranch({ live, rest, cells }: BranchRows): void {
    const revision = this.#revision + 1;
    let isNew = false;
    const store = (rows: RevisedRows, key: string, row: Row): void => {
      isNew = rows.set(key, row, revision) || isNew;
    };
    for (const row of rest) {
      const [position, ...columns] = row;
      if (columns[0] === HEALTH.waiting) continue;
      const id = this.#ids[Number(position)]!;
      this.#recordState(id, this.#rest.last(id).slice(1), columns, null);
      store(this.#rest, id, row);
      this.#results.set(id, this.#restoreResult(id, columns));
    }
    for (const row of live) store(this.#live, this.#ids[Number(row[0])]!, row);
    for (const row of cells) {
      const [position, partition, replica] = row.slice(0, CELL_KEYS).map(Number);
      const { partitions } = this.#system.matrices.get(this.#ids[position!]!) ?? {};
      if (partitions?.[partition!]?.[replica!] === undefined) continue;
      const key = [position, partition, replica];
      store(this.#cells, key.join(), [...key, ...row.slice(CELL_KEYS)]);
    }
    if (isNew) this.#revision = revision;
  }

  /** Restores the fields of a poll result that the flags of matrices depend on. */
  #restoreResult(id: string, columns: Row): PollResult {
    const instance = this.#system.instances.get(id)!;
    const value = (name: (typeof REST_COLUMNS)[number]) => columns[REST_COLUMNS.indexOf(name)];
    const isReachable = value("health") !== HEALTH.unreachable;
    const health = value("service-in") ? HEALTHY : "503 Service out";
    const node = { digest: value("digest"), "idle-ms": Date.now() - Number(value("changed")) };
    const placement = { instance, ...placementFor(this.#system, id) };
    return {
      ...{ ...placement, health: isReachable ? health : null, figures: { [NODESTAT]: node } },
      ...{ error: null, isSlow: value("health") === HEALTH.slow, unreachableMs: null },
    };
  }

  /** Sends no health check: `nodestat` contains the same state. */
  async #pollInstance(instance: Instance): Promise<Polled> {
    const { id, host, hport } = instance;
    const address: Address = { host, port: hport + 1, secure: this.#secure };
    const base = { instance, ...placementFor(this.#system, id) };
    const sinceMs = performance.now();
    let response: Awaited<ReturnType<typeof requestWithRetry>>;
    try {
      response = await requestWithRetry(address, NODESTAT);
    } catch (error) {
      const { message } = error as Error;
      return { ...base, health: null, figures: {}, error: message, isSlow: false };
    }
    const isSlow = isSlowSince(sinceMs);
    const figures: Record<string, unknown> = {};
    try {
      figures[NODESTAT] = unwrapResponse(address, NODESTAT, response);
      if (this.#system.matrices.has(id)) figures[MATRIX] = await requestMetrics(address, MATRIX);
      const health = readNodestat({ figures })["service-in"] ? HEALTHY : "503 Service out";
      return { ...base, health, figures, error: null, isSlow };
    } catch (error) {
      const { message } = error as Error;
      return { ...base, health: `${response.status}`, figures, error: message, isSlow: true };
    }
  }

  #storeResult(polled: Polled): void {
    const { id } = polled.instance;
    this.#polledIds.add(id);
    const result = { ...polled, unreachableMs: this.#outages.update(polled) };
    this.#results.set(id, result);
    // The rows of dispatchers depend on their back-ends, and follow at the end of the poll.
    if (!this.#system.matrices.has(id)) this.#storeRows(result, null);
  }

  #storeRows(result: PollResult, matrix: MatrixState | null): void {
    const { id } = result.instance;
    const position = this.#positions.get(id)!;
    const node = readNodestat(result);
    const before = this.#rest.last(id).slice(1);
    const revision = this.#revision + 1;
    const rest = [position, ...restRow(result, node, matrix, before, Date.now())];
    const live = result.health === null ? [position] : [position, ...liveRow(node)];
    const hasRest = this.#rest.set(id, rest, revision);
    if (hasRest) this.#recordState(id, before, rest.slice(1), result.error);
    const hasLive = this.#live.set(id, live, revision);
    if (hasRest || hasLive) this.#revision = revision;
  }

  /** Records an event if the state of another instance has changed. */
  #recordState(id: string, before: Row, now: Row, error: string | null): void {
    if (this.#positions.size === 1 || before[0] === HEALTH.waiting) return;
    const [was, is] = [describeHealth(before), describeHealth(now)];
    if (was === is) return;
    const reason = error === null ? "" : `: ${error}`;
    recordEvent("instance", is + reason, is === "in service" ? "info" : "warn", id);
  }

  #storeMatrices(): void {
    for (const id of this.#system.matrices.keys()) {
      const result = this.#results.get(id);
      // A branch contains the rows of its dispatchers.
      if (result === undefined || !this.#polledIds.has(id)) continue;
      const down = this.#storeCells(id, result.figures[MATRIX]);
      const flags = computeMatrixFlags(this.#system, this.#results, id);
      this.#storeRows(result, { ...flags, down });
    }
  }

  /** @returns the number of back-ends of a dispatcher that are not up or do not serve */
  #storeCells(id: string, reported: unknown): number {
    if (!Array.isArray(reported)) return 0;
    let down = 0;
    const { partitions } = this.#system.matrices.get(id)!;
    for (const [partition, replicas] of partitions.entries()) {
      for (const [row, replica] of replicas.entries()) {
        const health = this.#results.get(replica)?.health;
        const isServing = health === undefined ? null : health === HEALTHY;
        const key = [this.#positions.get(id)!, partition, row];
        const figures = cellRow(reported[partition]?.[row], isServing);
        const revision = this.#revision + 1;
        const isNew = this.#cells.set(key.join(), [...key, ...figures], revision);
        if (isNew) this.#revision = revision;
        if (isServing === false || figures[STATE] !== "up") down++;
      }
    }
    return down;
  }
}

/** Returns a hash of the columns and the descriptor, which determine the meaning of rows. */
function hashLayout(system: System): string {
  const columns = { live: LIVE_COLUMNS, rest: REST_COLUMNS, cells: CELL_COLUMNS };
  return descriptorHash({ columns, descriptor: system.descriptor });
}

function describeHealth(row: Row): string {
  const [health] = row;
  if (health === HEALTH.unreachable) return "does not respond";
  if (health === HEALTH.failing) return "fails";
  return row[SERVICE_IN] ? "in service" : "out of service";
}

function describeSystem(system: System, placed: readonly { instance: Instance }[]): Fixed {
  const { name, matrices, providers } = system;
  return {
    name,
    columns: { live: LIVE_COLUMNS, rest: REST_COLUMNS, cells: CELL_COLUMNS },
    instances: placed.map(({ instance: { id, type, host, hport } }) => {
      return [id, type, host, hport + 1, providers.get(id) ?? null];
    }),
    matrices: Object.fromEntries([...matrices].map(([id, { partitions }]) => [id, partitions])),
  };
}
