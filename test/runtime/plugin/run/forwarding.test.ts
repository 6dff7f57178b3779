// State that a pre-processor leaves for the back-ends and the post-processor, as bytes passed
// between their threads.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  getRouting,
  PluginRequest,
  requestFrom,
} from "../../../../runtime/plugin/request/plugin-request.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";
import {
  bindMerged,
  decodeForwarding,
  encodeForwarding,
} from "../../../../runtime/plugin/run/forwarding.js";
import { requestSource } from "../../../support/request-source.js";

const test = suite("forwarding");
const RECEIVED = requestSource({ query: "q=1", headerBlock: "Host: x\r\nX-Client: 1\r\n" });

/** The response that a post-processor receives after `request` was forwarded. */
function merged(request: PluginRequest | null): PluginResponse {
  const response = new PluginResponse();
  const processorState = request && decodeForwarding(encodeForwarding(request)).processorState;
  bindMerged(response, RECEIVED, { processorState, texec: 0.5, resubmits: 3 });
  return response;
}

function decodeContent(request: PluginRequest): string {
  return Buffer.from(request.serialize()).toString("latin1");
}

test("encodes the bytes of a request and its routing", () => {
  const request = new PluginRequest("find", { n: 2 }, null, "body");
  request.affinity = 3;
  request.primary = 1;
  const { bytes, processorState, ...routing } = decodeForwarding(encodeForwarding(request));
  assert.is(Buffer.from(bytes).toString(), decodeContent(request));
  assert.equal(routing, { method: "POST", target: null, isPrimary: true, affinity: 3, key: null });
  assert.ok(processorState.length > 0);
});

test("passes flag, local and signature to the post-processor", () => {
  const request = new PluginRequest("find");
  request.flag = "abc";
  request.local = { deep: [new Date(5), new Map([[1, Uint8Array.of(2)]])] };
  const { signature } = request;
  const response = merged(request);
  assert.equal(
    [response.flag, response.local, response.signature],
    ["abc", request.local, signature],
  );
  assert.equal([response.texec, response.resubmits], [0.5, 3]);
  assert.is(response.requestpath, "/svc/plugin/test?q=1");
});

test("passes no signature unless it was read", () => {
  const { flag, local, signature } = merged(new PluginRequest("find"));
  assert.equal([flag, local, signature], [null, null, null]);
  assert.is(merged(null).signature, null);
});

test("rejects a `local` that cannot be cloned", () => {
  const request = new PluginRequest("find");
  request.local = () => {};
  assert.throws(() => encodeForwarding(request), /request\.local cannot be kept/);
});

test("resubmits the received request without a pre-processor", () => {
  const repeatedRequest = merged(null).resubmittable();
  assert.is(repeatedRequest.path, "/svc/plugin/test?q=1");
  assert.match(decodeContent(repeatedRequest), /\r\nX-Client: 1\r\n/);
});

test("resubmits the request of a pre-processor to the same back-ends", () => {
  const params = { n: 2, half: 0.5, text: "ü&=" };
  const request = new PluginRequest("find", params, { "X-Own": "1" }, null, 7);
  request.affinity = 1;
  request.primary = 1;
  const repeatedRequest = merged(request).resubmittable();
  assert.is(decodeContent(repeatedRequest), decodeContent(request));
  assert.equal(getRouting(repeatedRequest), {
    target: 7n,
    isPrimary: true,
    affinity: 1,
    key: null,
  });
  assert.equal(repeatedRequest.items(), [
    ["n", 2],
    ["half", 0.5],
    ["text", "ü&="],
  ]);
  repeatedRequest.params.n = 4;
  assert.match(decodeContent(repeatedRequest), /^GET \/svc\/plugin\/find\?n=\(q\)4&/);
});

test("resubmits a received request with changed parameters", () => {
  const request = requestFrom(RECEIVED, {});
  request.params.q = "new";
  assert.is(merged(request).resubmittable().path, "/svc/plugin/test?q=new");
});

test("rejects resubmitting a request that was sent as a POST", () => {
  const response = merged(new PluginRequest("find", null, null, "x"));
  assert.is(response.requestmethod, "GET");
  assert.throws(() => response.resubmittable(), /resubmit not possible for POST/);
});

test.run();
