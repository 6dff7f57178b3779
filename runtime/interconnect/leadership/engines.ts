// The leadership engines, by the scheme of their URIs.

import { SvcError } from "../../base/errors.js";
import { EtcdEngine } from "./etcd-engine.js";
import { JetStreamEngine } from "./jetstream-engine.js";
import type { LeadershipEngine } from "./leadership.js";

/** Opens the engine of a group. `timeoutMs` is the limit of one call. */
export type OpenEngine = (uri: string, group: string, timeoutMs: number) => LeadershipEngine;

const ENGINES: readonly (readonly [scheme: string, open: OpenEngine])[] = [
  ["nats://", (uri, group, timeoutMs) => new JetStreamEngine(uri, group, timeoutMs)],
  ["http://", (uri, group, timeoutMs) => new EtcdEngine(uri, group, timeoutMs)],
  ["https://", (uri, group, timeoutMs) => new EtcdEngine(uri, group, timeoutMs)],
];

/** @throws SvcError SVC3400 if there is no such engine, or it cannot be used */
export const openEngine: OpenEngine = (uri, group, timeoutMs) => {
  const found = ENGINES.find(([scheme]) => uri.startsWith(scheme));
  if (found !== undefined) return found[1](uri, group, timeoutMs);
  const schemes = ENGINES.map(([scheme]) => `${scheme}…`).join(", ");
  const text = `leadership: no engine ${JSON.stringify(uri.slice(0, 200))}; there are ${schemes}`;
  throw new SvcError("SVC3400", text);
};
