// The converter of a function whose signature is only known at run time: a list of readers replaces
// the straight-line code that the compiler emits for built plugins.

import type { Invoke } from "../contract/plugin-entry.js";
import type { RequestSource } from "../contract/request-source.js";
import type { PluginRequest } from "../request/plugin-request.js";
import { missing } from "../request/query-values.js";
import * as received from "../request/received.js";
import { requireBoundGraph } from "../run/graph-binding.js";
import type { Form, Parameter } from "./parameters.js";

type Reader = (request: PluginRequest, source: RequestSource) => unknown;

/** @param graph name of the bound graph, null if there is none */
export function callConverter(
  fn: (...args: never[]) => unknown,
  parameters: readonly Parameter[],
  graph: string | null,
): Invoke {
  const readers = parameters.map((parameter) => createReader(parameter, graph));
  const call = fn as (...args: unknown[]) => unknown;
  return (request, source) => {
    // All parameters are converted, so that an invalid one is rejected even if it is unused.
    request.keys();
    return call(...readers.map((read) => read(request, source)));
  };
}

function createReader(parameter: Parameter, graph: string | null): Reader {
  if (parameter.kind === "form") return FORM_READERS[parameter.name](parameter.form);
  if (parameter.kind === "plain") {
    switch (parameter.name) {
      case "request":
        return (request) => request;
      case "method":
        return (_request, source) => source.method;
      case "graph":
        return () => requireBoundGraph(graph!);
    }
  }
  const { name, required } = parameter;
  const fallback = parameter.default;
  return (request) => {
    const value = request.params[name];
    if (value !== undefined) return value;
    return required ? missing(name) : fallback;
  };
}

const FORM_READERS: Readonly<Record<"headers" | "content", (form: Form) => Reader>> = {
  headers: (form) => {
    const read = {
      bytes: received.headersBytes,
      str: received.headersStr,
      dict: received.headersDict,
      list: received.headersList,
      json: received.headersDict,
    }[form];
    return (_request, source) => read(source);
  },
  content: (form) => {
    if (form === "json") return (_request, source) => received.contentJson(source);
    if (form === "str") return (_request, source) => received.contentStr(source);
    return (_request, source) => received.contentBytes(source);
  },
};
