// Lease operations: take, renew and release.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { HttpService } from "./http-service.js";

const MAX_SECONDS = 300;
const HOLDER = /^[0-9a-f]{16,64}$/;
const MAX_TEXT = 100;

/** 0 seconds release the lease. */
export function lease(service: HttpService, args: ControlArguments): object {
  const holder = String(args.holder);
  const seconds = Number(args.seconds);
  if (!HOLDER.test(holder)) throw new Error("holder: 16 to 64 hexadecimal digits are required");
  if (!(seconds >= 0 && seconds <= MAX_SECONDS)) {
    throw new Error(`seconds: 0 to ${MAX_SECONDS} are required`);
  }
  if (seconds === 0) {
    service.lease.release(holder);
    return { action: "lease", status: "released" };
  }
  const [what, operator] = [sanitize(args.what), sanitize(args.operator)];
  const isForced = Number(args.force) !== 0;
  const refusal = service.lease.take({ holder, seconds, isForced, what, operator });
  if (refusal === null) return { action: "lease", status: "granted" };
  const { sinceMs, leftSeconds, ...held } = refusal;
  return { action: "lease", status: "held", ...held, since: sinceMs / 1000, seconds: leftSeconds };
}

/** Refuses a step of a procedure that has lost its lease. */
export function requireLease(service: HttpService, holder: unknown): void {
  if (holder === undefined || holder === "" || service.lease.isHeldBy(String(holder))) return;
  throw new Error("this procedure has lost its lease here");
}

/** Returns text safe for other operators' terminals and logs. */
function sanitize(text: unknown): string {
  const plain = String(text ?? "").replace(/[^\x20-\x7e]/g, "?");
  return plain.slice(0, MAX_TEXT) || "somebody";
}
