// The latest, slowest and failed plugin requests of the main port, for the console, with the phases
// of each. Arguments are reported by name and size, because values may be private. Served only on
// the admin port, to trusted clients.

import { ParameterError } from "../../base/errors.js";
import type { RequestRecord, RequestState } from "../../http/recent-requests.js";
import { createParamReader, parseParams } from "../../plugin/convert.js";
import { decimals } from "../format.js";
import type { Service } from "../service.js";
import { requireTrusted } from "./require-trusted.js";

const READERS = {
  after: createParamReader("after", "int"),
  count: createParamReader("count", "int"),
  state: createParamReader("state", "str"),
};
const STATES: readonly RequestState[] = ["recent", "slow", "failed"];
const DEFAULT_COUNT = 200;
const MAX_COUNT = 1000;
const MAX_ARGUMENTS = 20;
const MAX_NAME = 60;

export const requestsService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: false,
  handle({ requests }, request) {
    requireTrusted(request, "requests");
    const { after, count, state } = parseParams(request.query, READERS);
    const requestedState = STATES.find((candidate) => candidate === (state ?? "recent"));
    if (requestedState === undefined) {
      const text = `state=${String(state)} (recent, slow or failed is required)`;
      throw new ParameterError("ValueError", text);
    }
    const limit = Math.min(MAX_COUNT, Math.max(1, Number(count ?? DEFAULT_COUNT)));
    const records = requests.read(requestedState, Math.max(0, Number(after ?? 0)), limit);
    const head = `"next":${requests.next},"counts":${JSON.stringify(requests.counts())}`;
    return `{${head},"requests":[${records.map(recordText).join(",")}]}`;
  },
};

function recordText(record: RequestRecord): string {
  const { number, atMs, ms, status, bytes, method, plugin, target, contentBytes } = record;
  const { queueUs, runUs, explanation, traceParent } = record;
  const text = JSON.stringify({
    ...{ number, at: decimals(atMs, 3), ms: decimals(ms, 3), status, bytes, method, plugin },
    arguments: argumentSizes(target),
    content: contentBytes,
    queue: queueUs < 0 ? null : queueUs / 1000,
    run: runUs < 0 ? null : runUs / 1000,
    traceparent: traceParent,
  });
  // The explanation is JSON text.
  return `${text.slice(0, -1)},"explain":${explanation?.text(false) ?? null}}`;
}

/** Names of the arguments in a target, each with the length of its value. */
function argumentSizes(target: string): readonly (readonly [name: string, size: number])[] {
  const [, query = ""] = target.split(/\?(.*)/s, 2);
  if (query === "") return [];
  return query.split("&", MAX_ARGUMENTS).map((part) => {
    const [name = "", value = ""] = part.split(/=(.*)/s, 2);
    return [decode(name).slice(0, MAX_NAME), decode(value).length] as const;
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
