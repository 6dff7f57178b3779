// A request as an executor receives it, for tests of executor code.

import type { RequestSource } from "../../runtime/plugin/contract/request-source.js";

/** A GET of `/svc/plugin/test` with the given parts changed; `query` also sets `target`. */
export function requestSource(parts: Partial<RequestSource> = {}): RequestSource {
  const query = parts.query ?? "";
  return {
    method: "GET",
    target: query === "" ? "/svc/plugin/test" : `/svc/plugin/test?${query}`,
    query,
    headerBlock: "Host: localhost\r\n",
    body: null,
    client: "http://127.0.0.1:50000/",
    executor: 3,
    serial: 42,
    t0Ms: 1_790_000_000_000.25,
    basePort: 9000,
    portOffset: 0,
    accept: "json",
    ident: null,
    hasMatrix: false,
    ...parts,
  };
}
