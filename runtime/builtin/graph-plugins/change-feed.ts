// Changes of a graph as a stream (docs/guides/following-changes.md).

import { MAX_CHANGE_FEEDS } from "../../base/limits.js";
import { PullIterator, type PullSource } from "../../base/pull-iterator.js";
import { type ChangeOptions, type ChangeReader, openChanges } from "../../graph/api/change-feed.js";
import type { ChangeKind, GraphChange } from "../../graph/log/graph-change.js";
import { jsonText } from "../../plugin/contract/json-text.js";
import type { str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { HttpError } from "../../plugin/response/http-error.js";
import { StreamItems } from "../../plugin/response/stream-items.js";
import { graphNamed } from "./graph-named.js";

/** Characters of events that are added to the stream at once. */
const BATCH_CHARACTERS = 16 * 1024;
/** Interval at which clients of a filtered feed receive positions. */
const PROGRESS_MS = 1000;

/** Feeds that are open in this thread. */
let openFeeds = 0;

/**
 * Streams the changes of a graph as they become durable.
 * @plugin changes
 * @readonly
 * @param graph name of the graph
 * @param since `position` of the last known change; default: from now on. `Last-Event-ID` precedes
 * @param kinds kinds of changes; default: all
 * @param types types of vertices; default: all
 * @param properties names of properties; default: all
 */
export async function changes(
  request: PluginRequest,
  headers: Record<string, string>,
  graph: str,
  since: str = "",
  kinds: ChangeKind[] = [],
  types: str[] = [],
  properties: str[] = [],
): Promise<AsyncIterable<GraphChange>> {
  if (request.content !== null && request.content.length > 0) {
    throw new HttpError(400, "parameters of a change feed must be in the query, not in the body");
  }
  // `EventSource` reconnects with the same parameters.
  const last = headers["last-event-id"] || since;
  const filter = {
    ...(kinds.length > 0 && { kinds }),
    ...(types.length > 0 && { types }),
    ...(properties.length > 0 && { properties }),
  };
  const options = { filter, ...(last !== "" && { since: last }) } as ChangeOptions;
  if (openFeeds >= MAX_CHANGE_FEEDS) {
    throw new HttpError(503, `${MAX_CHANGE_FEEDS} clients follow changes already: retry later`);
  }
  const [isDispatched] = request.ident;
  const reader = openChanges(graphNamed(graph), options, isDispatched === 1);
  const rendered = new RenderedChanges(reader);
  await rendered.verify();
  // A value of the stream contains several changes.
  return new PullIterator(rendered) as AsyncIterable<unknown> as AsyncIterable<GraphChange>;
}

/** Renders many changes at once, because each value of a stream costs turns of the event loop. */
class RenderedChanges implements PullSource<StreamItems> {
  readonly #reader: ChangeReader;
  #first: StreamItems | null = null;
  #isCounted = false;
  /** Last position sent to the client, and its time; empty: none. */
  #reported = "";
  #reportedAtMs = 0;

  constructor(reader: ChangeReader) {
    this.#reader = reader;
  }

  /**
   * Waits for the first items: an error can be sent as a status only before the response starts.
   * @throws PositionExpiredError
   */
  async verify(): Promise<void> {
    try {
      while (this.#first === null) {
        this.#first = this.#collect();
        if (this.#first === null) await this.wait();
      }
    } catch (error) {
      this.#reader.close();
      throw error;
    }
  }

  pull(): StreamItems | null {
    if (!this.#isCounted) openFeeds++;
    this.#isCounted = true;
    const items = this.#first ?? this.#collect();
    this.#first = null;
    return items;
  }

  #collect(): StreamItems | null {
    const items = new StreamItems();
    const start = this.#reader.position;
    while (items.length < BATCH_CHARACTERS) {
      const change = this.#reader.pull();
      if (change === null) break;
      // Without a position, the client could not continue from before this change.
      if (this.#reported === "" && items.length === 0) items.add("", start);
      items.add(changeText(change), change.position);
    }
    if (items.length === 0) this.#addProgress(items);
    if (items.length === 0) return null;
    this.#reported = this.#reader.position;
    this.#reportedAtMs = performance.now();
    return items;
  }

  wait(): Promise<void> {
    return this.#reader.wait();
  }

  close(): void {
    if (this.#isCounted) openFeeds--;
    this.#reader.close();
  }

  /** Adds a position if one is due. The first is due at once: a client needs it to continue. */
  #addProgress(items: StreamItems): void {
    const { position, isContinuous } = this.#reader;
    const isLate = performance.now() - this.#reportedAtMs >= PROGRESS_MS;
    const isDue = this.#reported === "" ? isContinuous : isLate;
    if (isDue && position !== this.#reported) items.add("", position);
  }
}

/** Returns the JSON of a change; most changes need no conversion of members. */
function changeText(change: GraphChange): string {
  const isPlain =
    change.kind !== "propertySet" ||
    typeof change.value === "string" ||
    Number.isFinite(change.value);
  return isPlain ? JSON.stringify(change) : jsonText(change);
}
