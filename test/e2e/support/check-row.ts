// Sends a request of the request table and compares the whole response.

import * as assert from "uvu/assert";
import type { RequestCase } from "../request-table.js";
import { type DecodedResponse, get } from "./server.js";

/** Levels below the server in the envelope. */
export interface Hierarchy {
  readonly level: number;
  readonly partitions: readonly number[] | null;
}

/** Levels of an engine. */
export const ALONE: Hierarchy = { level: 0, partitions: null };

export function sendRow(row: RequestCase, port: number): Promise<DecodedResponse> {
  return get(port, row.path, {
    method: row.method ?? "GET",
    ...(row.headers && { headers: row.headers }),
    ...(row.body !== undefined && { body: row.body }),
  });
}

/**
 * @param port `port` of the envelope of errors
 * @param hierarchy levels in the envelope of other responses
 */
export function checkRow(
  row: RequestCase,
  reply: DecodedResponse,
  port: readonly [port: number, offset: number],
  hierarchy = ALONE,
): void {
  assert.is(reply.status, row.status, reply.text);
  if (row.text !== undefined) {
    assert.is(reply.headers.get("content-type"), "text/plain; charset=UTF-8");
    if (typeof row.text === "string") assert.is(reply.text, row.text);
    else assert.match(reply.text, row.text);
  }
  if (row.response !== undefined) {
    const response = reply.json.response as Record<string, unknown>;
    if (response?.client !== undefined) {
      assert.match(response.client as string, /^http:\/\/127\.0\.0\.1:\d+\/$/);
      response.client = "CLIENT";
    }
    assert.equal(response, row.response);
    checkEnvelope(reply, hierarchy);
  }
  const { message } = reply.json;
  if (row.message !== undefined) assert.equal(message, row.message);
  if (row.messageLike) assert.match(JSON.stringify(message), row.messageLike);
  if (row.message !== undefined || row.messageLike) checkErrorEnvelope(reply, port);
}

function checkEnvelope({ json }: DecodedResponse, { level, partitions }: Hierarchy): void {
  assert.equal(Object.keys(json), ["status", "response", "level", "partitions", "exec_ms"]);
  assert.is(json.status, "OK");
  assert.is(json.level, level);
  assert.equal(json.partitions, partitions);
}

function checkErrorEnvelope({ json }: DecodedResponse, port: readonly [number, number]): void {
  const fields = ["status", "message", "port", "exec_id", "level", "partitions", "exec_ms"];
  assert.equal(Object.keys(json), fields);
  assert.is(json.status, "ERROR");
  assert.equal(json.port, port);
  assert.is(json.level, 0);
  assert.is(json.partitions, null);
  assert.type(json.exec_ms, "number");
}
