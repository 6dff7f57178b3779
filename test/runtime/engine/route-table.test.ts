// Routing of paths: escapes do not bypass the rules of a proxy in front of the server.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RouteTable } from "../../../runtime/engine/route-table.js";

const test = suite("route table");

const PATHS: readonly [path: string, resolved: string | null][] = [
  ["/svc/plugin/add", "/svc/plugin/add"],
  ["/svc/plugin/a%64d", "/svc/plugin/add"],
  ["/svc/plugin/caf%C3%A9", "/svc/plugin/café"],
  ["/svc/builtin/p%69ng", "/svc/builtin/ping"],
  ["/svc/plugin/a%2Fb", null],
  ["/svc/plugin/..%2fbuiltin%2fping", null],
  ["/svc/plugin/%FF", null],
  ["/svc/plugin/%", null],
  // These are files, or not found.
  ["/svc%2Fplugin/add", "/svc%2Fplugin/add"],
  ["/svc%2fplugin%2fadd", "/svc%2fplugin%2fadd"],
  ["/%73vc/plugin/add", "/%73vc/plugin/add"],
  ["/svc/%70lugin/add", "/svc/%70lugin/add"],
  ["/svc/h%63", "/svc/h%63"],
  ["/shop/plugin/a%64d", "/svc/plugin/add"],
  ["/shop/svc/plugin/a%64d", "/svc/plugin/add"],
  ["/shop/svc/hc", "/svc/hc"],
  ["/sho%70/plugin/add", "/sho%70/plugin/add"],
  ["/shop%2Fplugin/add", "/shop%2Fplugin/add"],
  ["/shop/a%20b.html", "/a%20b.html"],
];

test("matches paths as received, and decodes plugin names", () => {
  const routes = new RouteTable("/shop");
  for (const [path, resolved] of PATHS) assert.is(routes.resolve(path), resolved, path);
});

test.run();
