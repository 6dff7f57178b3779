// Selects instances: by id, comma-separated list, or pattern with `*`; `*` and `@` select all.

import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";
import type { System } from "../../runtime/system/system.js";

const MAX_TEXT = 10_000;

/**
 * Returns unique ids in descriptor order.
 * @throws SvcError SVC3111 if a name or pattern matches no instance
 */
export function selectIds({ instances, name }: System, text: string): string[] {
  const allIds = [...instances.keys()];
  const chosen = new Set<string>();
  const words = text.slice(0, MAX_TEXT).split(",");
  for (const word of words.map((word) => word.trim()).filter((word) => word !== "")) {
    const matching = word === "@" ? allIds : allIds.filter((id) => matches(id, word));
    if (matching.length === 0) {
      const relation = word.includes("*") ? "matching" : "called";
      const hint = didYouMean(word, allIds);
      throw new SvcError(
        "SVC3111",
        `${name} has no instance ${relation} ${JSON.stringify(word)}${hint}`,
      );
    }
    for (const id of matching) chosen.add(id);
  }
  if (chosen.size === 0) throw new SvcError("SVC3111", "no instances selected");
  return allIds.filter((id) => chosen.has(id));
}

/**
 * Matches section by section: a regular expression built from the text could backtrack for a very
 * long time.
 */
function matches(id: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return id === pattern;
  if (!id.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const piece of rest) {
    const index = id.indexOf(piece, at);
    if (index < 0) return false;
    at = index + piece.length;
  }
  return id.length - last.length >= at && id.endsWith(last);
}
