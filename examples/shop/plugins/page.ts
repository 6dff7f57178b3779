// Serves the page of the example.

import { readFileSync } from "node:fs";
import { HttpResponse, type PluginRequest } from "svc-server";

// The built plugins lie in a folder next to `page`.
const HTML = readFileSync(new URL("../page/index.html", import.meta.url));

/** Returns the page. @plugin @readonly */
export function page(_request: PluginRequest): HttpResponse {
  return new HttpResponse(HTML, { type: "text/html; charset=utf-8" });
}
