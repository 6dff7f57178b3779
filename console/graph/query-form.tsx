// Form for the common parts of a query, which generates its text: relationship, direction, a
// condition, sort order and number of hits.

import type { Names } from "./query-text.js";

export type Mode = "vertices" | "arcs" | "neighbor" | "nearest" | "evaluate";
/** Query types, except `nearest`, which has a separate view. */
export const MODES: readonly (readonly [mode: Mode, title: string])[] = [
  ["vertices", "Vertices"],
  ["neighbor", "Neighborhood"],
  ["arcs", "Arcs"],
  ["evaluate", "Expression"],
];

export interface Parts {
  readonly relationship: string;
  readonly direction: string;
  readonly filter: string;
  readonly sortby: string;
  /** Function that combines the arcs to a vertex; empty: arcs are not combined. */
  readonly aggregate: string;
}

export const NO_PARTS: Parts = {
  relationship: "",
  direction: "",
  filter: "",
  sortby: "",
  aggregate: "",
};
const DIRECTIONS = ["out", "in", "any"];
const AGGREGATES = ["count", "sum", "min", "max", "average"];
const ORDERS = ["S_ID|S_ASC", "S_DEG|S_DES", "S_VAL|S_ASC", "S_VAL|S_DES"];
/** Default fields of each entry. */
const FIELDS = {
  vertices: "F_ID|F_TYPE|F_DEG",
  neighbor: "F_ID|F_TYPE|F_ARCDIR|F_REL|F_VAL|F_DEG",
  arcs: "F_AARC",
};

/** Returns the text of a query. */
export function formatQuery(
  mode: Mode,
  { relationship, direction, filter, sortby, aggregate }: Parts,
): string {
  if (mode === "evaluate") return filter;
  if (mode === "nearest") {
    return JSON.stringify({ ...(filter !== "" && { condition: { filter } }) }, null, 2);
  }
  const arc = { ...(relationship && { rel: relationship }), ...(direction && { dir: direction }) };
  const hasArc = Object.keys(arc).length > 0;
  const query = {
    ...(mode === "neighbor" && hasArc && { arc }),
    ...(mode === "neighbor" && filter !== "" && { filter }),
    ...(mode === "neighbor" && aggregate !== "" && { aggregate: { mode: aggregate } }),
    ...(mode !== "neighbor" &&
      (hasArc || filter !== "") && {
        condition: { ...(hasArc && { arc }), ...(filter !== "" && { filter }) },
      }),
    ...(sortby !== "" && { sortby }),
    fields: FIELDS[mode],
    result: "R_DICT",
  };
  return JSON.stringify(query, null, 2);
}

interface QueryFormProps {
  readonly mode: Mode;
  readonly parts: Parts;
  readonly relationships: Names["values"];
  readonly onParts: (parts: Parts) => void;
}

export function QueryForm({ mode, parts, relationships, onParts }: QueryFormProps) {
  if (mode === "evaluate") return null;
  const set = (name: keyof Parts) => (event: Event) =>
    onParts({ ...parts, [name]: (event.target as HTMLInputElement).value });
  return (
    <div class="split">
      <label class="field">
        Relationship{" "}
        <input
          id="query-relationship"
          list="query-relationships"
          value={parts.relationship}
          autocomplete="off"
          onInput={set("relationship")}
        />
      </label>
      <datalist id="query-relationships">
        {relationships.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Choice label="Direction" value={parts.direction} among={DIRECTIONS} on={set("direction")} />
      <label class="field">
        Expression that holds{" "}
        <input id="query-filter" value={parts.filter} onInput={set("filter")} />
      </label>
      <Choice label="Order" value={parts.sortby} among={ORDERS} on={set("sortby")} />
      {mode === "neighbor" && (
        <Choice
          label="Combine arcs to one vertex"
          value={parts.aggregate}
          among={AGGREGATES}
          on={set("aggregate")}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly among: readonly string[];
  readonly on: (event: Event) => void;
}

function Choice({ label, value, among, on }: ChoiceProps) {
  return (
    <label class="field">
      {label}{" "}
      <select value={value} onChange={on}>
        <option value="">default</option>
        {among.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}
