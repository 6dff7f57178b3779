// The system of a server; a server without a descriptor forms a system of its own.

import { readDescriptor } from "../system/read-descriptor.js";
import type { System } from "../system/system.js";
import { TlsContextCache } from "../system/tls-context-cache.js";
import type { ServerView } from "./server-view.js";

/** By descriptor, which is immutable. */
const systems = new WeakMap<object, System>();

export function localSystem(view: ServerView): System {
  const { descriptor } = view.node;
  const cached = descriptor === null ? undefined : systems.get(descriptor);
  if (cached !== undefined) return cached;
  const system = readDescriptor(descriptor ?? defaultDescriptor(view));
  if (descriptor !== null) systems.set(descriptor, system);
  return system;
}

/** By descriptor, or by the TLS settings of a server without one. */
const tlsContexts = new WeakMap<object, TlsContextCache>();

/** Returns the TLS context for calls to instances of the system; null: no TLS. */
export function tlsForSystem(system: System, view: ServerView): TlsContextCache | null {
  const { projectDir, tls } = view;
  const { descriptor } = view.node;
  if (descriptor === null ? tls === null : system.tls === null) return null;
  const key = descriptor ?? tls!;
  const cached = tlsContexts.get(key);
  if (cached !== undefined) return cached;
  // A server without a system calls only itself, so the name in its certificate does not matter.
  const secure =
    descriptor === null
      ? new TlsContextCache(tls!, projectDir, true)
      : new TlsContextCache(system.tls!, projectDir);
  tlsContexts.set(key, secure);
  return secure;
}

function defaultDescriptor(view: ServerView): object {
  const { root, listenIp, basePort } = view;
  const instance = {
    graph: null,
    group: 1.1,
    type: "generic",
    host: listenIp ?? "127.0.0.1",
    hport: basePort,
    tport: view.traffic().txPort,
    durable: false,
    description: "Generic SVC instance",
  };
  return {
    name: `System Default (${root})`,
    graphs: [],
    instances: { G1: instance },
    topology: { transaction: { G1: {} }, dispatch: { G1: {} } },
  };
}
