// Description of an operation in generated code. Part of the published declarations of every
// generated client.

/** Describes which parts of a value are class instances, and their JSON forms. */
export interface Plan {
  /** Class of values that are strings in JSON. */
  readonly text?: "Date" | "URL" | "Uint8Array" | "bigint";
  readonly list?: ListPlan;
  readonly fields?: FieldsPlan;
  /** Number of a plan in the list of shared ones, instead of all other members. */
  readonly ref?: number;
  /** Creates the value from its form in JSON. */
  readonly make?: { fromJSON(value: unknown): unknown };
}

/** Plan of arrays. */
export interface ListPlan {
  /** Plans of the first items; null for plain ones. */
  readonly first?: readonly (Plan | null)[];
  /** Plan of all other items. */
  readonly items?: Plan;
  readonly to?: "Set" | "Map";
}

/** Plan of objects. */
export interface FieldsPlan {
  /** Plans by property name; null for plain ones. */
  readonly known?: Readonly<Record<string, Plan | null>>;
  /** Plan of all other properties. */
  readonly others?: Plan;
  readonly to?: "Map";
  /** Keys of the Map are numbers. */
  readonly numbers?: true;
  /** Property that selects one of `cases`, which replaces this plan. */
  readonly tag?: string;
  readonly cases?: Readonly<Record<string, FieldsPlan>>;
}

/** Description of one operation, as needed to call it. */
export interface Operation {
  /** `/svc/plugin/<name>`, without the service prefix. */
  readonly path: string;
  /** Parameters that are sent as JSON. */
  readonly json?: readonly string[];
  /** Wire form of the member `content`, which makes the request a POST. */
  readonly content?: "bytes" | "str" | "json" | "form";
  /** True if calls are safe to repeat. */
  readonly readonly?: boolean;
  /** True if it changes graphs: servers execute a request with a key once. */
  readonly once?: true;
  /** Header fields that the request requires, always as a POST. */
  readonly post?: Readonly<Record<string, string>>;
  /** True if the response is plain text without an envelope. */
  readonly text?: true;
  /** True if the response is a stream. */
  readonly stream?: true;
  /** True if the response has no envelope; `mixed`: if it may have one. */
  readonly http?: "response" | "mixed";
  /** Plans of parameters with values of classes. */
  readonly params?: Readonly<Record<string, Plan>>;
  /** Plan of the result. */
  readonly result?: Plan;
  /** Plans that others refer to. */
  readonly plans?: readonly Plan[];
  /** Errors with a kind of their own: names and statuses. */
  readonly errors?: readonly (readonly [name: string, statuses: readonly number[]])[];
}
