// Merged reports of back-ends, at the top level of a matrix and below it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodePartial, encodePartial } from "../../../runtime/base/partial/partial-codec.js";
import { MATRIX_PROCESSORS } from "../../../runtime/builtin/matrix-processors.js";
import type { RequestSource } from "../../../runtime/plugin/contract/request-source.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import { runPost } from "../../../runtime/plugin/run/run-plugin.js";

const test = suite("matrix processors");

function source(accept: "json" | "partial"): RequestSource {
  const ident = [2, 1, 4, 1, 0, 3, 1] as const;
  return {
    ...{ method: "GET", target: "/svc/builtin/MatrixObjects", query: "", headerBlock: "" },
    ...{ body: null, client: "", executor: 0, serial: 1, t0Ms: 0, basePort: 9000, portOffset: 0 },
    ...{ accept, ident, hasMatrix: true },
  };
}

/** Result of the processor for this merged response. */
function combined(name: string, merged: PluginResponse, accept: "json" | "partial") {
  const { post } = MATRIX_PROCESSORS.get(`/svc/builtin/${name}`)!;
  let result: string | Uint8Array = "";
  const merging = { texec: 0, resubmits: 0, processorState: null };
  runPost(post, source(accept), merged.serialize(), merging, (status, _kind, payload) => {
    assert.is(status, 200);
    result = payload;
  });
  return result as string | Uint8Array;
}

function objects(): PluginResponse {
  const merged = new PluginResponse<number, object>();
  merged.append(1, { order: 1, size: 20, properties: 300, vectors: 0 });
  merged.append(1, { order: 4, size: 50, properties: 600, vectors: 0 });
  return merged;
}

const SUM = { order: 5, size: 70, properties: 900, vectors: 0 };

test("sums object counts, in one entry below the top level", () => {
  const top = combined("MatrixObjects", objects(), "json") as string;
  assert.equal(JSON.parse(top), { level: 0, objects: SUM });
  const below = PluginResponse.deserialize(
    combined("MatrixObjects", objects(), "partial") as Uint8Array,
  );
  assert.equal(below.entries, [[1, SUM]]);
});

test("reports a partial with items that are not JSON as an error", () => {
  const { post } = MATRIX_PROCESSORS.get("/svc/builtin/MatrixObjects")!;
  const brokenBytes = encodePartial({
    ...decodePartial(objects().serialize()),
    items: ["{", "[]"],
  });
  let output = "";
  const merging = { texec: 0, resubmits: 0, processorState: null };
  runPost(post, source("json"), brokenBytes, merging, (status, _kind, payload) => {
    output = `${status} ${payload}`;
  });
  assert.match(output, /^500 "corrupt partial: invalid item"$/);
});

test.run();
