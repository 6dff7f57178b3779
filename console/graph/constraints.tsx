// The constraints of a graph, as readable rules.

import { useEffect, useState } from "preact/hooks";
import { fetchValue } from "../data/client.js";
import { listAt, textAt } from "../data/node-stat.js";
import { clipForDisplay } from "../data/text.js";

/** Renders nothing for a graph without constraints. */
export function Constraints({ graph }: { readonly graph: string }) {
  const [rules, setRules] = useState<readonly string[]>([]);
  useEffect(() => {
    let isOver = false;
    fetchValue(`svc/builtin/constraints?${new URLSearchParams({ graph })}`).then(
      (found) => !isOver && setRules(listAt(found, "constraints").map(describe)),
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [graph]);
  if (rules.length === 0) return null;
  return (
    <section class="card">
      <h2>Constraints</h2>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>{clipForDisplay(rule, 200)}</li>
        ))}
      </ul>
    </section>
  );
}

/** Describes a constraint, such as "person.email: unique, required, string". */
function describe(constraint: unknown): string {
  const members = constraint as { readonly [name: string]: unknown };
  const rules = ["unique", "required"].filter((rule) => members[rule] === true);
  if (typeof members.value === "string") rules.push(members.value);
  return `${textAt(constraint, "type")}.${textAt(constraint, "key")}: ${rules.join(", ")}`;
}
