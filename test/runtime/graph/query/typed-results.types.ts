// Types of results, checked by the compiler alone: a wrong one is an error of `tsc`. Never run;
// typed-results.test.ts verifies that the values have these types.

import type { AllGraphs } from "../../../../runtime/graph/api/all-graphs.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { R_COUNTS, R_DICT, R_LIST } from "../../../../runtime/graph/model/constants.js";
import type { NeighborhoodOptions } from "../../../../runtime/graph/query/calls/neighborhood.js";
import type { VerticesOptions } from "../../../../runtime/graph/query/calls/vertices.js";
import type { FacetRange, FacetValue } from "../../../../runtime/graph/query/hits/facets.js";
import type { Selected } from "../../../../runtime/graph/query/render/selected.js";
import type {
  AggregateResult,
  AggregateTotals,
  ArcsResult,
  NeighborhoodCounts,
  NeighborhoodResult,
  QueryTiming,
  VerticesResult,
} from "../../../../runtime/graph/query/render/typed-results.js";
import type { PropertyValue } from "../../../../runtime/graph/store/property-values.js";
import type { Feature } from "../../../../runtime/graph/vectors/features.js";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

declare function neighborhood<const O extends NeighborhoodOptions = object>(
  id: string,
  options?: O,
): NeighborhoodResult<O>;
/** An error of the compiler unless the value has exactly the type. */
declare function is<T>(): <V>(value: V, isSame: Same<V, T>) => void;

is<string[]>()(neighborhood("a"), true);
is<string[]>()(neighborhood("a", { arc: "knows", fields: ["id", "value"] }), true);
is<{ id: string; arc: { value: number }; distance: number }[]>()(
  neighborhood("a", { fields: ["id", "value"], result: "dict" }),
  true,
);
is<{ neighborhood: string[]; bounded?: string }>()(neighborhood("a", { incomplete: true }), true);
is<{ id: string; arc: { relationship: string } }[]>()(
  neighborhood("a", { fields: ["id", "relationship"], result: R_DICT }),
  true,
);
is<[number, string][]>()(neighborhood("a", { fields: ["id", "value"], result: "list" }), true);
is<number[]>()(neighborhood("a", { fields: ["id", "value"], result: "simple" }), true);
is<string[]>()(neighborhood("a", { result: "simple" }), true);
is<unknown[][]>()(neighborhood("a", { fields: 2052, result: R_LIST }), true);
is<{ neighborhood: string[]; counts: NeighborhoodCounts }>()(
  neighborhood("a", { counts: true, timing: false }),
  true,
);
is<{ neighborhood: string[]; time: QueryTiming }>()(neighborhood("a", { timing: true }), true);
is<unknown>()(neighborhood("a", { result: R_DICT | R_COUNTS }), true);
is<unknown>()(neighborhood("a", {} as NeighborhoodOptions), true);

is<{ id: string; properties: { readonly age: PropertyValue; readonly ".id": string } }[]>()(
  neighborhood("a", { fields: ["id"], select: "age ? 5; .id", result: "dict" }),
  true,
);

type Holds<T extends true> = T;
type Any = { readonly [key: string]: PropertyValue };
type Far = {
  readonly age: PropertyValue;
  readonly far: PropertyValue;
  readonly ".vector": number[] | Feature[];
};
/** How far a select text is typed, and which parts stay open. */
export type Selections = [
  Holds<Same<Selected<"name">, { readonly name: PropertyValue }>>,
  Holds<Same<Selected<" name\n, .deg">, { readonly name: PropertyValue; readonly ".deg": number }>>,
  Holds<Same<Selected<"age ? 5; far: round(.arc.value * 2); .vector">, Far>>,
  Holds<Same<Selected<"a: x ? 1 : 2">, { readonly a: PropertyValue }>>,
  Holds<Same<Selected<"*">, Any>>,
  Holds<Same<Selected<string>, Any>>,
  Holds<Same<Selected<undefined>, Any>>,
  Holds<Same<Selected<"a: max(1, 2)">, Any>>,
  Holds<Same<Selected<"a, b: (1)">, Any>>,
  Holds<Same<Selected<"a ? 'x'">, Any>>,
];
export type Checks = [
  Holds<Same<VerticesResult<{ result: "dict"; fields: ["type"] }>, { type: string }[]>>,
  Holds<Same<ArcsResult<{ result: "list" }>, [string, string, string, string, number, string][]>>,
  Holds<Same<AggregateResult<{ arc: "knows" }>, AggregateTotals>>,
  Holds<Same<AggregateResult<{ counts: false }>, unknown>>,
  Holds<
    Same<AggregateResult<{ timing: true }>, { aggregation: AggregateTotals; time: QueryTiming }>
  >,
];

declare function vertices<const O extends VerticesOptions = object>(options?: O): VerticesResult<O>;
is<{ vertices: string[]; facets: { brand: FacetValue[]; price: FacetRange[] } }>()(
  vertices({ facets: { brand: 5, price: { ranges: [1, 2] } } }),
  true,
);
is<{ vertices: { id: string; grouped: number }[]; groups: FacetValue[] }>()(
  vertices({ groupBy: "model", result: "dict" }),
  true,
);
is<{ vertices: string[]; groups: FacetValue[] }>()(vertices({ groupBy: "model" }), true);
is<string[]>()(vertices({ groupBy: null, condition: { or: ["a", { and: ["b"] }] } }), true);
is<unknown>()(vertices({} as VerticesOptions), true);
is<{ vertices: string[]; cursor: string | null }>()(vertices({ cursor: true }), true);
is<string[]>()(vertices({ cursor: false }), true);

declare const system: AllGraphs;
declare const shop: Graph;
// The function may ignore the last graphs.
is<number>()(
  system.transaction([shop, shop], (first) => first.order),
  true,
);
is<boolean>()(
  system.transaction([shop, shop], (first, second) => first === second),
  true,
);
