// Requests with a key that another group of the system owns.

import { HttpRejection } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { threadSlots } from "../slots/instance-slots.js";

/** Returns the rejection of a request that another group must answer, otherwise null. */
export function misdirection({ headers: { key } }: Exchange): HttpRejection | null {
  const owner = key === null ? null : (threadSlots()?.refusal(key) ?? null);
  return owner === null ? null : new HttpRejection(421, `421 Misdirected Request: ${owner}`);
}
