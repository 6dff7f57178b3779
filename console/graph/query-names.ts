// Names for query completion: of the language, from the server, and of the queried graph.

import { fetchValue } from "../data/client.js";
import { entriesAt, listAt, textAt } from "../data/node-stat.js";
import type { Names } from "./query-text.js";

/** @throws Error if the graph cannot be queried */
export async function collectNames(graph: string): Promise<Names> {
  const of = new URLSearchParams({ graph });
  const [known, info] = await Promise.all([
    fetchValue(`svc/builtin/evaluate?${of}&vocabulary=1`),
    fetchValue(`svc/builtin/graphinfo?${of}`),
  ]);
  const texts = (...path: string[]) =>
    listAt(known, ...path).flatMap((item) => (typeof item === "string" ? [item] : []));
  const named = (of: string, before = "", after = "") =>
    listAt(known, of).map((item) => before + textAt(item, "name") + after);
  const codec = (kind: string) => entriesAt(info, "enum", kind, "codec").map(([name]) => name);
  return {
    keys: [...texts("query", "options"), ...texts("query", "conditions")],
    constants: texts("query", "constants"),
    values: [...codec("relationship"), ...codec("vertex_type")],
    expression: [
      ...named("vertex", "vertex."),
      ...named("vertex", "next."),
      ...named("arc", "next.arc."),
      ...named("other"),
      ...named("functions", "", "("),
      ...named("constants"),
    ],
  };
}
