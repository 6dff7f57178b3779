// Location of a backup: a folder or a bucket. Objects are written as a whole or not at all.

export interface StoredObject {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

export interface ObjectStore {
  /** Location in the form that users write. */
  readonly uri: string;
  /** Writes an object durably, or replaces it. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** Writes an object durably unless it exists; returns whether it was written. */
  putNew(name: string, content: Uint8Array): Promise<boolean>;
  /** Returns whether an object exists. */
  has(name: string): Promise<boolean>;
  /**
   * Returns an object; null if it is missing.
   * @throws SvcError SVC3422 if it has more than `maxBytes`
   */
  get(name: string, maxBytes: number): Promise<Buffer | null>;
  /** Returns the objects whose names begin with a prefix that ends with `/`. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Removes an object, if it exists. */
  remove(name: string): Promise<void>;
}
