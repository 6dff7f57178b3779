// The leadership engines, by the scheme of their URIs.

import { SvcError } from "../../base/errors.js";
import { EtcdEngine } from "./etcd-engine.js";
import { JetStreamEngine } from "./jetstream-engine.js";
import { KubernetesEngine } from "./kubernetes-engine.js";
import type { LeadershipEngine } from "./leadership.js";

/**
 * Opens an engine for the record `name`. The record of a leader has the name of its group.
 * `timeoutMs` limits each call.
 */
export type OpenEngine = (uri: string, name: string, timeoutMs: number) => LeadershipEngine;

const ENGINES: readonly (readonly [scheme: string, open: OpenEngine])[] = [
  ["nats://", (uri, name, timeoutMs) => new JetStreamEngine(uri, name, timeoutMs)],
  ["http://", (uri, name, timeoutMs) => new EtcdEngine(uri, name, timeoutMs)],
  ["kubernetes://", (uri, name, timeoutMs) => new KubernetesEngine(uri, name, timeoutMs)],
  ["https://", (uri, name, timeoutMs) => new EtcdEngine(uri, name, timeoutMs)],
];

/** @throws SvcError SVC3400 if there is no such engine, or it cannot be used */
export const openEngine: OpenEngine = (uri, name, timeoutMs) => {
  const engine = ENGINES.find(([scheme]) => uri.startsWith(scheme));
  if (engine !== undefined) return engine[1](uri, name, timeoutMs);
  const schemes = ENGINES.map(([scheme]) => `${scheme}…`).join(", ");
  const text = `leadership: no engine ${JSON.stringify(uri.slice(0, 200))}; there are ${schemes}`;
  throw new SvcError("SVC3400", text);
};
