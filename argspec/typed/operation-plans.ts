// Plans of the parameters and results of operations, for the runtime of generated clients.

import type { Plan } from "../../client/typescript/operation.js";
import type { JsonSchema, ResultSpec } from "../argspec.js";
import type { Operation } from "../operations.js";
import { PlanBuilder, type View } from "./build-plans.js";

export interface OperationPlans {
  /** By parameter name. */
  readonly params?: Readonly<Record<string, Plan>>;
  readonly result?: Plan;
}

/** Plans of a group of operations. */
export interface GroupPlans {
  readonly byOperation: ReadonlyMap<Operation, OperationPlans>;
  /** Plans that others refer to. */
  readonly shared: readonly Plan[];
}

/** @param viewOf how the client sees a schema */
export function planOperations(
  operations: readonly Operation[],
  viewOf: (schema: JsonSchema) => View<JsonSchema>,
): GroupPlans {
  const builder = new PlanBuilder(viewOf, hasClass);
  const byOperation = new Map(
    operations.map((operation) => [operation, planOperation(operation, builder)] as const),
  );
  return { byOperation, shared: builder.plans };
}

function planOperation(operation: Operation, builder: PlanBuilder<JsonSchema>): OperationPlans {
  const { params, content, result, isText } = operation;
  const inputs = content === null ? params : [...params, content];
  const paramPlans = inputs.flatMap(({ name, schema }): [string, Plan][] => {
    const plan = builder.build(schema);
    return plan === null ? [] : [[name, plan]];
  });
  const schema = isText ? undefined : resultSchema(result);
  const resultPlan = schema === undefined ? null : builder.build(schema);
  return {
    ...(paramPlans.length > 0 && { params: Object.fromEntries(paramPlans) }),
    ...(resultPlan && { result: resultPlan }),
  };
}

function resultSchema(result: Exclude<ResultSpec, { kind: "request" }>): JsonSchema | undefined {
  if (result.kind !== "response") return result.schema;
  const entry = { type: "array", prefixItems: [result.sortkey, result.item], items: false };
  return { type: "object", properties: { entries: { type: "array", items: entry } } };
}

/** Returns whether the client has a class for a value. */
function hasClass(view: View<JsonSchema>): boolean {
  return "to" in view && view.to !== undefined;
}
