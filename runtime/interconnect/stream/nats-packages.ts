// NATS client packages: optional dependencies of the user, loaded only if a stream is configured.

import { createRequire } from "node:module";
import { join } from "node:path";
import { SvcError } from "../../base/errors.js";

type JetStream = typeof import("@nats-io/jetstream");
type Transport = typeof import("@nats-io/transport-node");

export interface NatsPackages {
  readonly jetstream: JetStream;
  readonly transport: Transport;
}

/**
 * @param places files to resolve from: this package, then the project
 * @throws SvcError SVC3361
 */
export function natsPackages(
  places: readonly string[] = [import.meta.url, join(process.cwd(), "package.json")],
): NatsPackages {
  return {
    jetstream: load("@nats-io/jetstream", places) as JetStream,
    transport: load("@nats-io/transport-node", places) as Transport,
  };
}

function load(name: string, places: readonly string[]): unknown {
  let cause: unknown;
  for (const from of places) {
    try {
      return createRequire(from)(name);
    } catch (error) {
      cause = error;
    }
  }
  const text = `a stream needs ${name}, which cannot be loaded: ${firstLine(cause)}`;
  throw new SvcError("SVC3361", text, { cause });
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n", 1)[0]!;
}
