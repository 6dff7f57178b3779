// What the keeper of graphs makes, loads and refuses.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DataError } from "../../../runtime/graph/errors.js";
import { GraphKeeper, type KeepRequest } from "../../../runtime/graph/keeper/graph-keeper.js";
import { removeForAll } from "../../../runtime/graph/keeper/removed-graphs.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "./support/make-graph.js";

const SETTINGS = { hasEvents: false, isIdle: false, saveEverySeconds: 0 };

const test = suite<{ folder: string; keeper: GraphKeeper }>("keeper of graphs");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-keeper-"));
  context.keeper = new GraphKeeper(SETTINGS, (line) => assert.unreachable(line));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function request(name: string, folder: string): KeepRequest {
  return { name, folder, isStorable: true, isLocal: false, isReadonly: false };
}

test("a graph is made once", ({ keeper, folder }) => {
  const shared = keeper.keep(request("g", folder));
  assert.is(keeper.keep(request("g", folder)), shared);
  assert.equal(keeper.names(), ["g"]);
  assert.is(keeper.find("h"), null);
});

test("no two graphs are stored in one folder, while both are there", ({ keeper, folder }) => {
  const { share } = keeper.keep(request("g", folder));
  assert.throws(
    () => keeper.keep(request("h", folder)),
    (error: Error) => error instanceof DataError && /"g" is stored in/.test(error.message),
  );
  removeForAll(GraphStore.attach(share, TEST_THREAD));
  assert.is(keeper.keep(request("h", folder)).path, folder);
  assert.equal(keeper.names(), ["h"]);
});

test.run();
