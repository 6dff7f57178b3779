// Target instances of operations, chosen by name and stored in the address. The server of this page
// forwards operations to the other instances.

import { useState } from "preact/hooks";
import { consoleUrl, type Instance, matchesSelection } from "../data/instances.js";
import type { Operation, Target } from "../data/operations.js";
import { clipForDisplay } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { currentRoute, saveState } from "../router.js";

interface TargetsProps {
  readonly instances: readonly Instance[];
  readonly chosen: ReadonlySet<string>;
  /** Id of the instance that serves this page. */
  readonly own: string;
}

function choose(ids: Iterable<string>): void {
  const params = new URLSearchParams(currentRoute.value.params);
  params.delete("on");
  for (const id of ids) params.append("on", id);
  saveState(params);
}

export function Targets({ instances, chosen, own }: TargetsProps) {
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  const [pattern, setPattern] = useState("");
  const selected = instances.filter(({ id }) => matchesSelection(id, pattern)).map(({ id }) => id);
  const others = instances.filter(({ id }) => id !== own).map(({ id }) => id);
  return (
    <section class="card" aria-label="Instances to operate">
      <header>
        <h2>Instances</h2>
        <span class="end faint s">none chosen: this one, {clipForDisplay(own, 60)}</span>
      </header>
      <div class="body stack">
        <div class="row nowrap">
          <input
            id="target-pattern"
            class="grow"
            aria-label="Pattern"
            placeholder="S*, B1"
            value={pattern}
            onInput={({ currentTarget }) => setPattern(currentTarget.value)}
          />
          <button
            type="button"
            class="btn"
            disabled={selected.length === 0}
            onClick={() => choose(selected)}
          >
            Choose {selected.length}
          </button>
        </div>
        <ul class="targets">
          {instances.map((instance) => (
            <One
              key={instance.id}
              instance={instance}
              isChosen={chosen.has(instance.id)}
              onToggle={() => toggle(instance.id)}
            />
          ))}
        </ul>
        <div class="row">
          <button type="button" class="btn" onClick={() => choose(others)}>
            All others
          </button>
          <button type="button" class="btn" onClick={() => choose([])}>
            This one
          </button>
        </div>
      </div>
    </section>
  );
}

interface OneProps {
  readonly instance: Instance;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function One({ instance, isChosen, onToggle }: OneProps) {
  const { id, type, state } = instance;
  const target = consoleUrl(instance, "admin", location.protocol);
  return (
    <li>
      <label>
        <input type="checkbox" checked={isChosen} onChange={onToggle} />
        {clipForDisplay(id, 60)}
      </label>
      {target === null ? (
        <span class="faint">{clipForDisplay(type, 40)}</span>
      ) : (
        <a
          class="faint"
          href={target}
          aria-label={`${clipForDisplay(type, 40)}: page of ${clipForDisplay(id, 60)}`}
        >
          {clipForDisplay(type, 40)}
        </a>
      )}
      <Badge state={state} />
    </li>
  );
}

/**
 * Returns the text to type for confirmation; null: a click is enough. A selection of all instances
 * is named as such.
 */
export function targetLabel(
  { confirm }: Operation,
  selected: readonly Target[],
  all: number,
): string | null {
  if (typeof confirm === "function") return confirm(selected.map(({ node }) => node));
  return selected.length > 1 && selected.length >= all - 1 ? `${selected.length} instances` : null;
}
