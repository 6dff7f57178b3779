// Description of an operation in generated code. Part of the published declarations of every
// generated client.

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
  /** Header fields that the request requires, always as a POST. */
  readonly post?: Readonly<Record<string, string>>;
  /** True if the response is plain text without an envelope. */
  readonly text?: true;
  /** True if the response is a stream. */
  readonly stream?: true;
  /** True if the response has no envelope; `mixed`: if it may have one. */
  readonly http?: "response" | "mixed";
  /** Errors with a kind of their own: names and statuses. */
  readonly errors?: readonly (readonly [name: string, statuses: readonly number[]])[];
}
