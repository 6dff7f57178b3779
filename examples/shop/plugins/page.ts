// Serves the page of the shop.

import { readFileSync } from "node:fs";
import { HttpResponse, type PluginRequest } from "svc-server";

const HTML = readFileSync(new URL("../page/index.html", import.meta.url));

/** Returns the page. @plugin @readonly */
export function page(_request: PluginRequest): HttpResponse<"text/html; charset=utf-8"> {
  return new HttpResponse(HTML, { type: "text/html; charset=utf-8" });
}
