// The backup that one member of a group makes all the time. Whatever happens to the member and to
// the place of the backup, each position that can be restored has a state that a leader had; a
// position that was not recorded is refused; and after the last fault the backup is complete.

import { join } from "node:path";
import * as assert from "uvu/assert";
import type { ArchiveConfig } from "../../../../runtime/base/archive-config.js";
import type { SvcError } from "../../../../runtime/base/errors.js";
import { operationCountAfter } from "../../../../runtime/graph/log/transaction-format.js";
import { requireIdentity } from "../../../../runtime/graph/manager/logging-entry-points.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import { BackupChain } from "../../../../runtime/interconnect/archive/backup-chain.js";
import { FolderStore } from "../../../../runtime/interconnect/archive/folder-store.js";
import type { LogPoint } from "../../../../runtime/interconnect/archive/manifest.js";
import {
  planRestore,
  type RestoreTarget,
} from "../../../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../../../runtime/interconnect/archive/restore-root.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { readLog } from "../../../../runtime/interconnect/log/segments.js";
import { forEachTransaction } from "../../../../runtime/interconnect/log/transactions.js";
import { Instance } from "../../../runtime/interconnect/support/instance.js";
import type { SimulatedMember } from "./simulated-member.js";
import type { VirtualDisk } from "./virtual-disk.js";
import { FOLDER } from "./virtual-files.js";
import type { VirtualProcess, VirtualWorld } from "./virtual-world.js";

const PLACE = "backup";
const RESTORED = "restored";
const RESTORES = 2;
const GRAPH = "g";
/** Between two reports, and two clocks. */
const LATE_MS = 2500;
const RESTORE_MS = 60_000;

/** Manifests without a gap between them, the full backup first. */
type Chain = readonly LogPoint[];

export class SimulatedBackup {
  readonly config: ArchiveConfig;
  readonly #world: VirtualWorld;
  readonly #disk: VirtualDisk;
  /** Digests that a graph had at its leaders, by its identity and number of operations. */
  readonly #states = new Map<string, Set<string>>();
  readonly #store = new FolderStore(join(FOLDER, PLACE));
  #settledAt: number | null = null;

  constructor(world: VirtualWorld) {
    const { random } = world;
    this.#world = world;
    this.#disk = world.files.mount(PLACE);
    this.config = {
      ...{ to: join(FOLDER, PLACE), every: random.of(["1s", "2s"]) },
      ...{ full: random.of(["1d", "3s", "9s"]), keep: random.of(["30d", "5s"]) },
    };
  }

  /** A leader has committed a change. */
  committed(store: GraphStore): void {
    const { count, digest } = digestCheckpoint(store)!;
    const key = `${requireIdentity(store)} ${count}`;
    const digests = this.#states.get(key) ?? new Set();
    this.#states.set(key, digests.add(digest));
  }

  /** The place of the backup is unreachable, or loses what was not flushed there. */
  fail(kind: "away" | "power", ms: number): void {
    const { files, random } = this.#world;
    if (kind === "power") return this.#disk.losePower(random);
    files.away.add(PLACE);
    this.#world.after(ms, null, () => files.away.delete(PLACE));
  }

  calm(): void {
    this.#world.files.away.clear();
  }

  /** A member is paused, so that it does not report its age, or lacks changes. */
  unsettle(): void {
    this.#settledAt = null;
  }

  /** Returns whether a member has added everything since all run and are equal. */
  isComplete(member: SimulatedMember): boolean {
    const { now } = this.#world.time;
    this.#settledAt ??= now;
    const { archive } = member;
    if (archive === null || archive.lagTransactions > 0) return false;
    return archive.ageMs < 0.9 * (now - this.#settledAt) - LATE_MS;
  }

  /**
   * Restores the backup to some positions.
   * @param root data folder of the member
   * @param expected digest at the end; null: it is not known
   */
  async check(root: string, expected: string | null): Promise<void> {
    const owner = { id: RESTORED, rate: 1, isAlive: true, pausedUntil: 0 };
    this.#world.files.mount(RESTORED);
    const until = this.#world.time.now + RESTORE_MS;
    let isOver = false;
    let failure: Error | null = null;
    this.#world.after(0, owner, () => {
      const checked = this.#check(owner, root, expected).catch((error: Error) => {
        failure = error;
      });
      void checked.then(() => {
        isOver = true;
      });
    });
    await this.#world.runUntil(until, () => isOver);
    owner.isAlive = false;
    if (failure !== null) throw failure;
    assert.ok(isOver, "restores end");
  }

  async #check(owner: VirtualProcess, root: string, expected: string | null): Promise<void> {
    const { random } = this.#world;
    const chains = await this.#chains();
    if (chains.length === 0) return assert.is(expected, null, "there is a backup");
    const counts = readCounts(root);
    for (let n = 0; n < RESTORES; n++) {
      const chain = random.of(chains);
      const [first] = chain as [LogPoint];
      const last = chain.at(-1)!;
      const sn = first.sn + random.below(last.sn - first.sn + 1);
      const target: RestoreTarget = { kind: "position", id: first.id, sn };
      const { count } = await this.#restored(owner, `p${n}`, target);
      const logged = counts.id === first.id ? counts.at(sn) : null;
      if (logged !== null) assert.is(count, logged, `operations at ${JSON.stringify(target)}`);
    }
    await this.#checkGaps(chains);
    const { digest } = await this.#restored(owner, "end", { kind: "end" });
    if (expected !== null) assert.is(digest, expected, "the end of the backup");
  }

  async #restored(owner: VirtualProcess, name: string, target: RestoreTarget) {
    const label = `restored to ${JSON.stringify(target)}`;
    const plan = await planRestore(this.#store, target);
    const root = join(FOLDER, RESTORED, name);
    await restoreRoot(this.#store, plan, root);
    const instance = await this.#world.enter(owner, () => Instance.start(root));
    try {
      const store = instance.store(GRAPH);
      const point = digestCheckpoint(store)!;
      if (point.count === 0) return point;
      const known = this.#states.get(`${requireIdentity(store)} ${point.count}`);
      assert.ok(known?.has(point.digest), `${label}: ${point.count} operations of no leader`);
      return point;
    } finally {
      instance.free();
    }
  }

  /** A position between two chains, or after the last one, is refused. */
  async #checkGaps(chains: readonly Chain[]): Promise<void> {
    for (const chain of chains) {
      const { id, sn } = chain.at(-1)!;
      const isThere = chains.some((otherChain) => {
        const [first, last] = [otherChain[0]!, otherChain.at(-1)!];
        return first.id === id && first.sn <= sn + 1 && sn + 1 <= last.sn;
      });
      if (isThere) continue;
      const target: RestoreTarget = { kind: "position", id, sn: sn + 1 };
      const code = await planRestore(this.#store, target).then(
        () => "a plan",
        (error: SvcError) => error.code,
      );
      assert.is(code, "SVC3420", `${JSON.stringify(target)} is in a gap`);
    }
  }

  async #chains(): Promise<Chain[]> {
    const chain = new BackupChain(this.#store);
    const end = await chain.end();
    if (end === null) return [];
    const { manifest: last } = await chain.require(end.manifest.full);
    const chains: LogPoint[][] = [];
    for (const full of [...last.fulls.map(({ number }) => number), last.number]) {
      const points: LogPoint[] = [];
      for await (const { manifest } of chain.since(end, full)) points.push(manifest.log);
      // A later full backup that goes on belongs to the same chain.
      const previousTransaction = chains.at(-1)?.at(-1);
      const isSame =
        previousTransaction?.id === points.at(-1)!.id &&
        previousTransaction.sn === points.at(-1)!.sn;
      if (!isSame) chains.push(points);
    }
    return chains;
  }
}

/** Returns the operations of the graph after each transaction that a log still has. */
function readCounts(root: string) {
  const counts: { readonly sn: number; readonly count: number }[] = [];
  const end = readLog(realDisk, join(root, "_txlog"), (frame) => {
    if (frame.header.isTable) return;
    let { sn } = frame.header;
    forEachTransaction(frame, {
      transaction: (words, offset) =>
        counts.push({ sn: sn++, count: operationCountAfter(words, offset) }),
      control: () => sn++,
    });
  });
  const at = (sn: number): number | null =>
    counts.findLast((logged) => logged.sn <= sn)?.count ?? null;
  return { id: end?.logId ?? null, at };
}
