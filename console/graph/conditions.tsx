// Conditions on the arcs that the explorer counts and draws, shown as chips, and as a query.

import { useEffect, useRef, useState } from "preact/hooks";
import { clipForDisplay } from "../data/text.js";
import { Icon } from "../parts/icon.js";
import { PageLink } from "../parts/page-link.js";
import { currentRoute, navigate } from "../router.js";
import { type Conditions, neighborQuery } from "./explore.js";
import type { GraphInfo } from "./graph-info.js";

/** Parameters of the conditions in the address. */
const NAMES = { relationship: "rel", direction: "dir", type: "type", filter: "if" } as const;
const DIRECTIONS = [
  ["", "both ways"],
  ["D_IN", "in"],
  ["D_OUT", "out"],
] as const;
const FIELDS = { fields: "F_ID|F_TYPE|F_ARCDIR|F_REL|F_VAL|F_DEG", result: "R_DICT" };

export function readConditions({ params }: { readonly params: URLSearchParams }): Conditions {
  const text = (name: keyof Conditions) => params.get(NAMES[name]) ?? "";
  const direction = DIRECTIONS.find(([value]) => value === text("direction"))?.[0] ?? "";
  return {
    ...{ relationship: text("relationship"), direction },
    ...{ type: text("type"), filter: text("filter") },
  };
}

function set(name: keyof Conditions, text: string): void {
  const params = new URLSearchParams(currentRoute.value.params);
  if (text === "") params.delete(NAMES[name]);
  else params.set(NAMES[name], text);
  // More of what was asked for before.
  params.delete("arc");
  navigate(`search?${params}`);
}

interface ConditionChipsProps {
  readonly graph: string;
  readonly id: string;
  readonly info: GraphInfo;
  readonly conditions: Conditions;
}

export function ConditionChips({ graph, id, info, conditions }: ConditionChipsProps) {
  const query = JSON.stringify({ ...neighborQuery(conditions), ...FIELDS }, null, 2);
  const address = new URLSearchParams({ graph, id, mode: "neighbor", query });
  const names = (list: GraphInfo["types"], title: string) => [
    ["", title] as const,
    ...list.map(({ name }) => [name, clipForDisplay(name, 30)] as const),
  ];
  return (
    <search class="row s">
      <span class="tag acc">{clipForDisplay(id, 40)}</span>
      <Icon name="right" />
      <Chip
        label="Relationship"
        value={conditions.relationship}
        among={names(info.relationships, "any arc")}
        onChoose={(text) => set("relationship", text)}
      />
      <Chip
        label="Direction"
        value={conditions.direction}
        among={DIRECTIONS}
        onChoose={(text) => set("direction", text)}
      />
      <Chip
        label="Type of the neighbor"
        value={conditions.type}
        among={names(info.types, "any type")}
        onChoose={(text) => set("type", text)}
      />
      <Filter key={conditions.filter} value={conditions.filter} />
      <PageLink className="end" to={`search?${address}`}>
        as query
      </PageLink>
    </search>
  );
}

interface ChipProps {
  readonly label: string;
  readonly value: string;
  readonly among: readonly (readonly [value: string, title: string])[];
  readonly onChoose: (value: string) => void;
}

function Chip({ label, value, among, onChoose }: ChipProps) {
  return (
    <select
      class={value === "" ? "tag" : "tag acc"}
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {among.map(([choice, title]) => (
        <option key={choice} value={choice}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** Field for an expression such as `next.arc.value > 90`; at first, a button that opens it. */
function Filter({ value }: { readonly value: string }) {
  const [text, setText] = useState<string | null>(value === "" ? null : value);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text === "") field.current?.focus();
  }, [text === null]);
  if (text === null) {
    return (
      <button type="button" class="tag" onClick={() => setText("")}>
        <Icon name="plus" />
        condition
      </button>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set("filter", text);
      }}
    >
      <input
        class="tag mono"
        id="arc-filter"
        aria-label="Expression that holds"
        placeholder="next.arc.value > 90"
        value={text}
        ref={field}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}
