// Limits the refusals in the audit log, so that clients can neither fill disks nor rotate other
// entries away. Per minute, the log lists the first refusals of each client and status, and counts
// the others. Beyond a number of clients, it counts the refusals of all further ones together.

const MAX_LISTED_PER_CLIENT = 10;
const MAX_LISTED = 100;
const MAX_CLIENTS = 100;

/** A number of refusals that the log does not list. */
export interface CountedRefusals {
  readonly status: number;
  /** Null: several clients. */
  readonly client: string | null;
  readonly refusals: number;
}

interface Entry {
  readonly status: number;
  readonly client: string | null;
  listed: number;
  counted: number;
}

export class RefusalQuota {
  readonly #entries = new Map<string, Entry>();
  #listed = 0;

  /** Returns whether the log lists a refusal; counts it otherwise. */
  take(client: string, status: number): boolean {
    const entry = this.#entry(client, status);
    const isListed =
      entry.client !== null && entry.listed < MAX_LISTED_PER_CLIENT && this.#listed < MAX_LISTED;
    if (!isListed) entry.counted++;
    else {
      entry.listed++;
      this.#listed++;
    }
    return isListed;
  }

  /** Returns the counted refusals and resets them. */
  reset(): readonly CountedRefusals[] {
    const entries = [...this.#entries.values()].filter(({ counted }) => counted > 0);
    this.#entries.clear();
    this.#listed = 0;
    return entries.map(({ status, client, counted }) => ({ status, client, refusals: counted }));
  }

  #entry(client: string, status: number): Entry {
    const key = `${status} ${client}`;
    const existing = this.#entries.get(key);
    if (existing !== undefined) return existing;
    const isFull = this.#entries.size >= MAX_CLIENTS;
    const name = isFull ? `${status}` : key;
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { status, client: isFull ? null : client, listed: 0, counted: 0 };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}
