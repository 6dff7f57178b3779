// Short overview of a system for readers that poll: a reader names the revision
// that it knows, and gets the rows that changed since. Readers never wait for instances; a poll
// begins with a read when one is due. Used by one thread.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { recordEvent } from "../base/recent-events.js";
import { type Address, unwrapAnswer } from "./instance-client.js";
import { addressKey, Outages } from "./instance-poller.js";
import { compareEntries, computeMatrixFlags, HEALTHY, readNodestat } from "./overview.js";
import {
  isSlowSince,
  type Polled,
  type PollResult,
  placementFor,
  pollEach,
  requestFigures,
  requestPatiently,
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
import type { Instance, System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

const NODESTAT = "/svc/nodestat";
const MATRIX = "/svc/matrix";
const MIN_EVERY_MS = 1000;
/** Polls of large systems are rarer: 1000 instances are polled every five seconds. */
const EVERY_MS_PER_INSTANCE = 5;
/** The first reader gets what arrives within this time. */
const FIRST_WAIT_MS = 300;
const TOKEN_BYTES = 6;
const SERVICE_IN = REST_COLUMNS.indexOf("service-in");
const STATE = CELL_COLUMNS.indexOf("state");

/** Values that do not change while the process runs and the descriptor stays. */
type Fixed = Readonly<Record<string, unknown>>;

export interface ShortOverview {
  readonly id: string;
  /** Value of `known` in the next request. */
  readonly revision: string;
  /** Milliseconds since 1970: now, and when the last poll ended (0: none has). */
  readonly at: number;
  readonly polled: number;
  readonly [part: string]: unknown;
}

export class SystemWatch {
  readonly #system: System;
  readonly #secure: TlsContextCache | null;
  readonly #token = randomBytes(TOKEN_BYTES).toString("hex");
  readonly #fixed: Fixed;
  readonly #everyMs: number;
  /** Position in the answer, by id. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #outages = new Outages();
  readonly #results = new Map<string, PollResult>();
  readonly #live = new RevisedRows();
  readonly #rest = new RevisedRows();
  readonly #cells = new RevisedRows();
  #revision = 0;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #pollEndMs = 0;
  #poll: Promise<void> | null = null;

  /** @param everyMs minimum time between two polls */
  constructor(system: System, secure: TlsContextCache | null, everyMs = MIN_EVERY_MS) {
    this.#system = system;
    this.#secure = secure;
    this.#everyMs = Math.max(everyMs, system.instances.size * EVERY_MS_PER_INSTANCE);
    const placed = [...system.instances.values()]
      .map((instance) => ({ instance, ...placementFor(system, instance.id) }))
      .sort(compareEntries);
    this.#places = new Map(placed.map(({ instance }, place) => [instance.id, place]));
    this.#fixed = describeSystem(system, placed);
    this.#revision++;
    for (const [id, place] of this.#places) {
      this.#rest.set(id, [place, HEALTH.waiting], this.#revision);
    }
  }

  /** Whether it is the watch of a system, which a standalone instance creates each time. */
  isOf(system: System): boolean {
    return system === this.#system || addressKey(system) === addressKey(this.#system);
  }

  /**
   * @param known revision of the last answer; empty for all
   * @param cells number of the revision whose cells are known; negative: leave out cells
   */
  async read(id: string, known: string, cells: number): Promise<ShortOverview> {
    this.#refresh();
    const isFirst = this.#results.size < this.#places.size;
    if (isFirst) await Promise.race([this.#poll, delay(FIRST_WAIT_MS)]);
    const [token, number] = known.split("-");
    const isKnown = token === this.#token;
    const after = isKnown ? Number(number) || 0 : 0;
    const more = {
      live: this.#live.after(after),
      rest: this.#rest.after(after),
      cells: cells < 0 ? [] : this.#cells.after(isKnown ? cells : 0),
    };
    const changed = Object.entries(more).filter(([, rows]) => rows.length > 0);
    return {
      ...{ id, revision: `${this.#token}-${this.#revision}`, at: Date.now() },
      polled: this.#pollEndMs,
      ...(isKnown ? {} : this.#fixed),
      ...Object.fromEntries(changed),
    };
  }

  /** Starts a poll if one is due and none is running. */
  #refresh(): void {
    const now = performance.now();
    if (this.#poll !== null || now - this.#polledAtMs < this.#everyMs) return;
    this.#polledAtMs = now;
    const poll = (instance: Instance) => this.#pollInstance(instance);
    this.#poll = pollEach(this.#system, poll, (result) => this.#take(result)).then(() => {
      this.#poll = null;
      this.#takeMatrices();
      this.#pollEndMs = Date.now();
    });
  }

  /** One request: `nodestat` tells what the health check does. */
  async #pollInstance(instance: Instance): Promise<Polled> {
    const { id, host, hport } = instance;
    const address: Address = { host, port: hport + 1, secure: this.#secure };
    const base = { instance, ...placementFor(this.#system, id) };
    const sinceMs = performance.now();
    let answer: Awaited<ReturnType<typeof requestPatiently>>;
    try {
      answer = await requestPatiently(address, NODESTAT);
    } catch (error) {
      const { message } = error as Error;
      return { ...base, health: null, figures: {}, error: message, isSlow: false };
    }
    const isSlow = isSlowSince(sinceMs);
    const figures: Record<string, unknown> = {};
    try {
      figures[NODESTAT] = unwrapAnswer(address, NODESTAT, answer);
      if (this.#system.matrices.has(id)) figures[MATRIX] = await requestFigures(address, MATRIX);
      const health = readNodestat({ figures })["service-in"] ? HEALTHY : "503 Service out";
      return { ...base, health, figures, error: null, isSlow };
    } catch (error) {
      const { message } = error as Error;
      return { ...base, health: `${answer.status}`, figures, error: message, isSlow: true };
    }
  }

  #take(polled: Polled): void {
    const { id } = polled.instance;
    const result = { ...polled, unreachableMs: this.#outages.update(polled) };
    this.#results.set(id, result);
    // Dispatchers wait for their back-ends.
    if (!this.#system.matrices.has(id)) this.#takeRows(result, null);
  }

  #takeRows(result: PollResult, matrix: MatrixState | null): void {
    const { id } = result.instance;
    const place = this.#places.get(id)!;
    const node = readNodestat(result);
    const before = this.#rest.last(id).slice(1);
    const revision = this.#revision + 1;
    const rest = [place, ...restRow(result, node, matrix, before, Date.now())];
    const live = result.health === null ? [place] : [place, ...liveRow(node)];
    const hasRest = this.#rest.set(id, rest, revision);
    if (hasRest) this.#recordState(id, before, rest.slice(1), result.error);
    const hasLive = this.#live.set(id, live, revision);
    if (hasRest || hasLive) this.#revision = revision;
  }

  /** Records that another instance went out of service, or came back. */
  #recordState(id: string, before: Row, now: Row, error: string | null): void {
    if (this.#places.size === 1 || before[0] === HEALTH.waiting) return;
    const [was, is] = [describeHealth(before), describeHealth(now)];
    if (was === is) return;
    const reason = error === null ? "" : `: ${error}`;
    recordEvent("instance", is + reason, is === "in service" ? "info" : "warn", id);
  }

  #takeMatrices(): void {
    for (const id of this.#system.matrices.keys()) {
      const result = this.#results.get(id);
      if (result === undefined) continue;
      const down = this.#takeCells(id, result.figures[MATRIX]);
      const flags = computeMatrixFlags(this.#system, this.#results, id);
      this.#takeRows(result, { ...flags, down });
    }
  }

  /** @returns how many back-ends of a dispatcher are not up, or do not serve */
  #takeCells(id: string, reported: unknown): number {
    if (!Array.isArray(reported)) return 0;
    let down = 0;
    const { partitions } = this.#system.matrices.get(id)!;
    for (const [partition, replicas] of partitions.entries()) {
      for (const [row, replica] of replicas.entries()) {
        const health = this.#results.get(replica)?.health;
        const isServing = health === undefined ? null : health === HEALTHY;
        const place = [this.#places.get(id)!, partition, row];
        const figures = cellRow(reported[partition]?.[row], isServing);
        const revision = this.#revision + 1;
        const isNew = this.#cells.set(place.join(), [...place, ...figures], revision);
        if (isNew) this.#revision = revision;
        if (isServing === false || figures[STATE] !== "up") down++;
      }
    }
    return down;
  }
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
