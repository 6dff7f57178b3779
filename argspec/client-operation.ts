// An operation as the generated client's runtime needs it: how to call it, without its
// documentation.

import type { Operation as ClientOperation } from "../client/typescript/operation.js";
import type { ParamSpec } from "./argspec.js";
import { listStatuses } from "./error-kinds.js";
import type { Operation } from "./operations.js";

function contentForm({ form, wire }: ParamSpec): NonNullable<ClientOperation["content"]> {
  return form ? "form" : (wire as "bytes" | "str" | "json");
}

/** Returns whether an operation is a POST that changes graphs, according to the contract. */
export function changesGraphs({ content, readonly, isGuarded, graph }: Operation): boolean {
  return isGuarded || (content !== null && !readonly && graph !== null);
}

export function clientOperation(operation: Operation): ClientOperation {
  const { path, params, content, readonly, isGuarded, isText, result } = operation;
  const errors = listStatuses(operation);
  const json = params.filter(({ wire }) => wire === "json").map(({ name }) => name);
  return {
    path,
    ...(json.length > 0 && { json }),
    // `readArgspec` accepts no other wire form for a body.
    ...(content !== null && { content: contentForm(content) }),
    ...(readonly && { readonly }),
    ...(changesGraphs(operation) && { once: true }),
    ...(isGuarded && { post: { "x-svc-change": "1" } }),
    ...(isText && { text: true }),
    ...(result.kind === "stream" && { stream: true }),
    ...(result.kind === "http" && { http: result.schema === undefined ? "response" : "mixed" }),
    ...(errors.size > 0 && { errors: [...errors] }),
  };
}
