// The argspec in shared memory, passed between threads without copying; only the start and the
// admin executor parse it.

import type { Argspec } from "../../../argspec/argspec.js";

export interface SharedArgspec {
  readonly hash: string;
  /** JSON in UTF-8, in shared memory. */
  readonly text: Uint8Array;
}

/** @param text of the argspec as JSON, if already serialized */
export function shareArgspec(argspec: Argspec, text = JSON.stringify(argspec)): SharedArgspec {
  const shared = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)));
  Buffer.from(shared.buffer).write(text);
  return { hash: argspec.hash, text: shared };
}

/** Parses the argspec passed to `shareArgspec`, without validation. */
export function parseShared({ text }: SharedArgspec): Argspec {
  return JSON.parse(Buffer.from(text.buffer).toString("utf8")) as Argspec;
}
