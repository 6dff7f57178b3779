// Parses a client's request for a change feed, and derives the requests to back-ends.

import { ParameterError } from "../../base/errors.js";
import { decodeText, keyEnd, pairEnd, readKey } from "../../plugin/contract/query-text.js";
import { headerValue, percentEncode } from "../../plugin/contract/request-text.js";

const SINCE = "since";
const EVENT_STREAM = /\btext\/event-stream\b/i;
const REPLACED = /^(?:accept|last-event-id):.*\r\n/gim;

export interface FeedRequest {
  /** Position of the client; empty: from now on. */
  readonly since: string;
  /** The client accepts server-sent events; otherwise it gets lines of JSON. */
  readonly takesEvents: boolean;
  /** Header lines for back-ends, which always send events. */
  readonly block: string;
  /** Returns the path and query for back-ends. */
  readonly target: (position: string) => string;
}

export function readFeedRequest(target: string, block: string): FeedRequest {
  const mark = target.indexOf("?");
  const query = splitQuery(mark < 0 ? "" : target.slice(mark + 1));
  const path = `${mark < 0 ? target : target.slice(0, mark)}?${query.others}`;
  return {
    // `EventSource` reconnects with the same parameters.
    since: headerValue(block, "last-event-id") || query.since,
    takesEvents: EVENT_STREAM.test(headerValue(block, "accept") ?? ""),
    block: `${block.replace(REPLACED, "")}Accept: text/event-stream\r\n`,
    target: (position) => (position === "" ? path : `${path}&since=${percentEncode(position)}`),
  };
}

interface SplitQuery {
  readonly since: string;
  readonly others: string;
}

/** Passes on a query that cannot be decoded: back-ends reject it. */
function splitQuery(query: string): SplitQuery {
  const parameters: string[] = [];
  let since = "";
  try {
    for (let at = 0; at < query.length; ) {
      const equals = keyEnd(query, at);
      const end = pairEnd(query, equals);
      if (readKey(query, at, equals) === SINCE) since = decodeText(query, equals + 1, end);
      else parameters.push(query.slice(at, end));
      at = end + 1;
    }
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    return { since: "", others: query };
  }
  return { since, others: parameters.join("&") };
}
