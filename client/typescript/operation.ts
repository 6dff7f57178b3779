// Description of an operation in generated code. Part of the published declarations of every
// generated client.

/** Description of one operation, as needed to call it. */
export interface Operation {
  /** `/svc/plugin/<name>`, without the service prefix. */
  readonly path: string;
  /** Parameters that travel as JSON text. */
  readonly json?: readonly string[];
  /** How the member `content` travels, which makes the request a POST. */
  readonly content?: "bytes" | "str" | "json";
  /** Safe to repeat. */
  readonly readonly?: boolean;
  /** Header fields with which it is taken, as a POST only. */
  readonly post?: Readonly<Record<string, string>>;
  /** The response is plain text without an envelope. */
  readonly text?: true;
  /** The response is a stream. */
  readonly stream?: true;
  /** The response has no envelope, or has one where it is a value: `mixed`. */
  readonly http?: "response" | "mixed";
  /** Errors that are kinds of their own: their names and statuses. */
  readonly errors?: readonly (readonly [name: string, statuses: readonly number[]])[];
}
