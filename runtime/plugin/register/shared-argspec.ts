// The argspec of the plugins that a server has, as its threads hand it on: text in shared memory,
// which costs the thread that passes it nothing, and which is parsed at the start and by the admin
// executor alone.

import type { Argspec } from "../../../argspec/argspec.js";

export interface SharedArgspec {
  readonly hash: string;
  /** JSON in UTF-8, in shared memory. */
  readonly text: Uint8Array;
}

/** @param text of the argspec as JSON, where there is one already */
export function shareArgspec(argspec: Argspec, text = JSON.stringify(argspec)): SharedArgspec {
  const shared = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)));
  Buffer.from(shared.buffer).write(text);
  return { hash: argspec.hash, text: shared };
}

/** The argspec as it was given to `shareArgspec`, parsed and not yet checked. */
export function parseShared({ text }: SharedArgspec): unknown {
  return JSON.parse(Buffer.from(text.buffer).toString("utf8"));
}
