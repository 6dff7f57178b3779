// The argspec of built-in plugins and services matches a server.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { listOperations } from "../../argspec/operations.js";
import { SERVICES } from "../../argspec/services.js";
import { descriptions } from "../../runtime/builtin/.generated/descriptions.js";
import { descriptions as graph } from "../../runtime/builtin/.generated/graph/descriptions.js";
import { services } from "../../runtime/builtin/services.js";

const test = suite("argspec of built-ins");
const operations = listOperations(BUILTINS);

test("lists every built-in plugin with the parameters of its record", () => {
  const records = [...descriptions, ...graph].sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.equal(
    BUILTINS.plugins.map(({ path, params, reserved }) => ({
      path,
      parameters: [...reserved, ...params.map(({ name }) => name)].sort(),
    })),
    records.map(({ path, parameters }) => ({
      path,
      parameters: Object.keys(parameters)
        .concat("content" in parameters ? "content" : [])
        .sort(),
    })),
  );
});

test("marks everything as retryable except graph changes", () => {
  const changing = operations.filter(({ readonly, name }) => {
    return !readonly && !name.startsWith("ADMIN_");
  });
  assert.equal(
    changing.map(({ name }) => name),
    [
      ...["connect", "constrain", "createvertex", "define", "deletevertex", "disconnect"],
      ...["dropconstraint", "dropindex", "index", "rebuildvectors"],
    ],
  );
});

test("allows additional query options and a body for queries", () => {
  const open = operations.filter(({ isOpen }) => isOpen);
  assert.equal(
    open.map(({ name, content }) => [name, content?.wire]),
    [
      ["arcs", "str"],
      ["echo", "bytes"],
      ["nearest", "str"],
      ["neighbor", "str"],
      ["paths", "str"],
      ["vertices", "str"],
    ],
  );
});

test("lists the services of a server by name", () => {
  assert.equal(
    SERVICES.map(({ path }) => path),
    // /metrics is for Prometheus, and admin-only services are for people, not for clients.
    [...services]
      .filter(([path, { isAdminOnly }]) => path.startsWith("/svc/") && !isAdminOnly)
      .map(([path]) => path)
      .sort(),
  );
  for (const { name, path, isText } of SERVICES) {
    assert.is(path, `/svc/${name}`);
    assert.is(isText, services.get(path)?.mediaType === "text/plain", name);
  }
});

test.run();
