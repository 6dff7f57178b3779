// Vertex locks as plain objects, for comparison with the sessions of a graph. There are no arcs, so
// that a vertex deleted while locked goes when it is released.

/** A vertex that a session has locked; all its handles share the lock. */
export interface ModelHold {
  readonly session: number;
  readonly id: string;
  isWritable: boolean;
  count: number;
}

const MAX_RECURSION = 112;
const LOCKED = "Object is locked";

export class LockModel {
  /** False: virtual. */
  readonly vertices = new Map<string, boolean>();
  #holds: ModelHold[] = [];

  /** Sorted by vertex and session. */
  get holds(): readonly ModelHold[] {
    return this.#holds;
  }

  /** The lock, or the reason for none. */
  open(session: number, ids: readonly string[], mode: "r" | "a" | "w"): ModelHold[] | string {
    if (mode !== "w" && ids.some((id) => !this.vertices.has(id))) return "No";
    const isWritable = mode !== "r";
    for (const id of ids) {
      const refusal = this.#refusal(session, id, isWritable);
      if (refusal !== "") return refusal;
    }
    return ids.map((id) => {
      if (isWritable) this.vertices.set(id, true);
      return this.#take(session, id, isWritable);
    });
  }

  close(hold: ModelHold): boolean {
    if (hold.count === 0) return false;
    this.#drop(hold, 1);
    return true;
  }

  /** Number of locks. */
  closeAll(session: number): number {
    const ownHolds = this.#holds.filter((hold) => hold.session === session);
    const locks = ownHolds.reduce((sum, { count }) => sum + count, 0);
    for (const hold of ownHolds) this.#drop(hold, hold.count);
    return locks;
  }

  escalate(hold: ModelHold): string {
    if (hold.count === 0) return "cannot be accessed";
    if (hold.isWritable) return "Bad context";
    const locks = this.#of(hold.id).reduce((sum, { count }) => sum + count, 0);
    if (locks > 1) return LOCKED;
    hold.isWritable = true;
    return "";
  }

  relax(hold: ModelHold): boolean | string {
    if (hold.count === 0) return "cannot be accessed";
    if (hold.isWritable && hold.count > 1) {
      hold.count--;
      return false;
    }
    hold.isWritable = false;
    return true;
  }

  /** The result, or the reason for a rejection. */
  delete(session: number, id: string): number | string {
    if (this.#holds.some((hold) => hold.session === session && !hold.isWritable))
      return "Read-only";
    if (!this.vertices.has(id)) return 0;
    if (this.#of(id).some((hold) => hold.session !== session)) return LOCKED;
    if (!this.vertices.get(id)) return 0;
    if (this.#of(id).length > 0) this.vertices.set(id, false);
    else this.vertices.delete(id);
    return 1;
  }

  create(session: number, id: string): number | string {
    if (this.#of(id).some((hold) => hold.session !== session || !hold.isWritable)) return LOCKED;
    if (this.vertices.get(id)) return 0;
    this.vertices.set(id, true);
    return 1;
  }

  #refusal(session: number, id: string, isWritable: boolean): string {
    const holds = this.#of(id);
    const ownHold = holds.find((hold) => hold.session === session);
    if (ownHold === undefined) {
      return holds.some((hold) => isWritable || hold.isWritable) ? LOCKED : "";
    }
    if (ownHold.count >= MAX_RECURSION) return "Recursion limit";
    return isWritable && !ownHold.isWritable ? LOCKED : "";
  }

  #take(session: number, id: string, isWritable: boolean): ModelHold {
    const ownHold = this.#of(id).find((hold) => hold.session === session);
    if (ownHold !== undefined) {
      ownHold.count++;
      return ownHold;
    }
    const created = { session, id, isWritable, count: 1 };
    this.#holds.push(created);
    this.#holds.sort((a, b) => (a.id === b.id ? a.session - b.session : a.id < b.id ? -1 : 1));
    return created;
  }

  #drop(hold: ModelHold, times: number): void {
    hold.count -= times;
    if (hold.count > 0) return;
    this.#holds = this.#holds.filter((candidate) => candidate !== hold);
    if (this.#of(hold.id).length === 0 && this.vertices.get(hold.id) === false) {
      this.vertices.delete(hold.id);
    }
  }

  #of(id: string): ModelHold[] {
    return this.#holds.filter((hold) => hold.id === id);
  }
}
