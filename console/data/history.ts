// Earlier and saved calls and queries, in the storage of this browser. An entry is the address of
// its page, which never contains credentials. Without storage, lists are empty.

const DATABASE = "svc-console";
const STORE = "entries";
/** Maximum number of unsaved entries of one kind; the oldest are deleted. */
const MAX_EARLIER = 50;
const MAX_SAVED = 100;

export type HistoryKind = "call" | "query";

export interface HistoryEntry {
  readonly id: number;
  readonly kind: HistoryKind;
  /** Plugin or graph. */
  readonly subject: string;
  readonly title: string;
  /** Query and fragment of the page. */
  readonly address: string;
  readonly at: number;
  readonly isSaved: boolean;
}

/** Adds an entry, or moves the one with the same address to the top. */
export async function rememberEntry(entry: Omit<HistoryEntry, "id">): Promise<void> {
  const all = await listEntries(entry.kind);
  const same = all.find(({ address }) => address === entry.address);
  const isSaved = entry.isSaved || same?.isSaved === true;
  const older = all.filter((candidate) => candidate.isSaved === isSaved && candidate !== same);
  const surplus = older.slice((isSaved ? MAX_SAVED : MAX_EARLIER) - 1);
  await change((store) => {
    for (const { id } of [...surplus, ...(same === undefined ? [] : [same])]) store.delete(id);
    store.add({ ...entry, isSaved });
  });
}

/** Returns the entries of a kind, the newest first. */
export async function listEntries(kind: HistoryKind): Promise<readonly HistoryEntry[]> {
  try {
    const database = await open();
    const request = database.transaction(STORE).objectStore(STORE).getAll();
    const all = (await result(request)) as HistoryEntry[];
    database.close();
    return all.filter((entry) => entry.kind === kind).sort((a, b) => b.at - a.at);
  } catch {
    return [];
  }
}

export function deleteEntry(id: number): Promise<void> {
  return change((store) => store.delete(id));
}

async function change(work: (store: IDBObjectStore) => void): Promise<void> {
  try {
    const database = await open();
    const transaction = database.transaction(STORE, "readwrite");
    work(transaction.objectStore(STORE));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    database.close();
  } catch {
    // Storage is disabled or full: the call itself goes on.
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
  };
  return result(request);
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
