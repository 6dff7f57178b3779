// The explanation of a query: its steps, and how many items each step examined.

import { listAt, numberAt } from "../data/node-stat.js";
import { clipForDisplay, count, milliseconds } from "../data/text.js";

export function Plan({ explanation }: { readonly explanation: unknown }) {
  const steps = listAt(explanation, "plan");
  if (steps.length === 0) return null;
  const metric = (name: string) => count(numberAt(explanation, name));
  return (
    <section class="card" aria-label="Plan">
      <header>
        <h2>Plan</h2>
        <span class="end soft s">
          {metric("looked")} looked at, {metric("matched")} matched,{" "}
          {milliseconds(1000 * numberAt(explanation, "time", "total"))}
        </span>
      </header>
      <ol class="body plan">
        {steps.map((step, index) => (
          <li key={index}>{clipForDisplay(step, 200)}</li>
        ))}
      </ol>
    </section>
  );
}
