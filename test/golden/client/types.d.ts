// Types of a service, made from its argspec.

/** Items by their keys, merged from all partitions. */
export interface PluginResponse<K, T> {
  level: number;
  levelparts: number;
  partials: number;
  hitcount: number;
  aggregator: [number, number, number, number];
  message?: string;
  meta: unknown;
  entries: [K, T][];
}

/** A place. */
export interface City {
  name: string;
  /** by rail */
  near?: City[];
}

export type Client_ = "a" | "b";

/** Parameters of `buy`. */
export interface BuyParams {
  /**
   * what
   * is bought
   */
  item: string;
  /** @defaultValue 1 */
  count?: number | undefined;
  content?: City | undefined;
}

/** What `buy` answers. */
export type BuyResult = City | null;

/** Parameters of `search`. */
export interface SearchParams {
  q: Uint8Array | string;
  at?: unknown;
}

/** What `search` answers. */
export type SearchResult = PluginResponse<string, City>;

/** Parameters of `with_`. */
export interface WithParams {
  kind: Client_;
}

/** What `with_` answers. */
export type WithResult = string;

/** Plugins by their names. */
export interface Plugins {
  /**
   * Buys an item.
   * @throws {SvcError} SoldOut: when there is none
   * @example
   * await client.buy({ item: "book", count: 2 });
   */
  buy(params: BuyParams): Promise<BuyResult>;

  /**
   * Finds | cities.
   * @returns the nearest first
   * @deprecated use `find`
   */
  search(params: SearchParams): Promise<SearchResult>;

  with_(params: WithParams): Promise<WithResult>;
}
