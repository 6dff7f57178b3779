// Lets the server check a query while the user types it, without executing it.

import { useEffect, useState } from "preact/hooks";
import { fetchValue } from "../data/client.js";
import { readPath, textAt } from "../data/node-stat.js";
import type { Mode } from "./query-form.js";
import { locateFault, type QueryFault } from "./query-text.js";

const CHECK_AFTER_MS = 350;
const CHECKED: ReadonlySet<Mode> = new Set(["vertices", "neighbor", "arcs"]);

/** Returns the fault of a query; null: none, or unknown. */
export function useCheck(graph: string, mode: Mode, text: string): QueryFault | null {
  const [fault, setFault] = useState<QueryFault | null>(null);
  useEffect(() => {
    setFault(null);
    if (text.trim() === "" || !CHECKED.has(mode)) return;
    const running = new AbortController();
    const check = async (): Promise<void> => {
      const args = new URLSearchParams({ graph, call: mode });
      const { signal } = running;
      const found = await fetchValue(`svc/builtin/querycheck?${args}`, {
        ...{ method: "POST", body: text, signal },
      });
      const message = textAt(found, "message");
      if (signal.aborted || message === "") return;
      const at = readPath(found, "at");
      const fault = locateFault(message, text, false);
      setFault(typeof at === "number" ? { at, message } : (fault ?? { at: 0, message }));
    };
    // A dispatcher has no graph to check with.
    const timer = setTimeout(() => void check().catch(() => {}), CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      running.abort();
    };
  }, [graph, mode, text]);
  return fault;
}
