// Scopes that built-in plugins and services require of a principal: those of the graph that a
// request names, else those of `builtins`. The graph is parsed before the arguments are converted,
// by the same functions, so that both see the same graph.

import type { AccessKind } from "../builtin/access-kind.js";
import { keyEnd, pairEnd, readKey } from "../plugin/contract/query-text.js";
import { readStr } from "../plugin/request/query-values.js";
import type { ConfiguredGraph } from "../settings/graph-rules.js";
import type { ParsedScopes } from "../settings/scope-rules.js";
import type { Resource } from "./route-table.js";

type Scopes = Readonly<Record<"read" | "change", readonly string[]>>;

const PARAMETER = "graph";

export class BuiltinScopes {
  readonly #builtins: Scopes;
  readonly #graphs: ReadonlyMap<string, Scopes>;

  constructor(builtins: ParsedScopes, graphs: Readonly<Record<string, ConfiguredGraph>>) {
    this.#builtins = toScopes(builtins);
    const graphScopes = Object.entries(graphs).map(
      ([name, { read, change }]) =>
        [
          name,
          toScopes({ read: read ?? builtins.read, change: change ?? builtins.change }),
        ] as const,
    );
    this.#graphs = new Map(graphScopes);
  }

  /** @param resource a built-in plugin or service */
  require(resource: Resource, query: string): readonly string[] {
    const use = getUse(resource) === "read" ? "read" : "change";
    const graph = resource.kind === "service" ? null : readGraphName(query);
    const graphScopes = graph === null ? undefined : this.#graphs.get(graph);
    return (graphScopes ?? this.#builtins)[use];
  }
}

function getUse(resource: Resource): AccessKind {
  return "use" in resource ? resource.use : "read";
}

function toScopes({ read, change }: ParsedScopes): Scopes {
  return { read: read === null ? [] : [read], change: change === null ? [] : [change] };
}

/**
 * Returns the graph that a query names: the last one, as converters do; null for none and for a
 * query that they reject.
 */
export function readGraphName(query: string): string | null {
  let valueStart = -1;
  try {
    for (let at = 0; at < query.length; ) {
      const equals = keyEnd(query, at);
      if (readKey(query, at, equals) === PARAMETER) valueStart = equals;
      at = pairEnd(query, equals) + 1;
    }
    return valueStart < 0 ? null : readStr(query, PARAMETER, valueStart);
  } catch {
    return null;
  }
}
