// Limits the refusals in the audit log: clients must not fill disks, nor rotate other entries away.
// Within a minute, the log lists the first refusals of a client with one status and counts the
// others. If many clients are refused, it counts those of further clients together.

const MAX_LISTED_PER_CLIENT = 10;
const MAX_LISTED = 100;
const MAX_CLIENTS = 100;

/** Refusals that the log does not list. */
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

  /** Returns the counted refusals, and starts again. */
  reset(): readonly CountedRefusals[] {
    const entries = [...this.#entries.values()].filter(({ counted }) => counted > 0);
    this.#entries.clear();
    this.#listed = 0;
    return entries.map(({ status, client, counted }) => ({ status, client, refusals: counted }));
  }

  #entry(client: string, status: number): Entry {
    const key = `${status} ${client}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
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
