// Requests with a key that another group of the system owns.

import { threadSlots } from "../base/instance-slots.js";
import { HttpRejection } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";

/** Returns the rejection of a request that another group must answer, otherwise null. */
export function misdirection({ headers: { key } }: Exchange): HttpRejection | null {
  const owner = key === null ? null : (threadSlots()?.explainRefusal(key) ?? null);
  return owner === null ? null : new HttpRejection(421, `421 Misdirected Request: ${owner}`);
}
