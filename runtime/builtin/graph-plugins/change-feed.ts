// Changes of a graph as a stream (docs/guides/following-changes.md).

import { MAX_CHANGE_FEEDS } from "../../base/limits.js";
import { PullIterator, type PullSource } from "../../base/pull-iterator.js";
import { type ChangeOptions, type ChangeReader, openChanges } from "../../graph/api/change-feed.js";
import type { GraphChange } from "../../graph/log/graph-change.js";
import { jsonText } from "../../plugin/contract/json-text.js";
import type { str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { HttpError } from "../../plugin/response/http-error.js";
import { StreamItems } from "../../plugin/response/stream-items.js";
import { graphNamed } from "../context.js";

/** Characters of events that cross to the stream at once. */
const BATCH_CHARACTERS = 16 * 1024;
/** Interval of the positions that clients of a filtered feed get. */
const PROGRESS_MS = 1000;

/** Feeds that are open in this thread. */
let openFeeds = 0;

/**
 * Streams the changes of a graph as they become durable.
 * @plugin changes
 * @readonly
 * @param graph name of the graph
 * @param since `position` of the last known change; default: from now on, or `Last-Event-ID`
 * @param kinds kinds of changes; default: all
 * @param types types of vertices; default: all
 * @param properties names of properties; default: all
 */
export function changes(
  _request: PluginRequest,
  headers: Record<string, string>,
  graph: str,
  since: str = "",
  kinds: str[] = [],
  types: str[] = [],
  properties: str[] = [],
): AsyncIterable<unknown> {
  const last = since === "" ? (headers["last-event-id"] ?? "") : since;
  const filter = {
    ...(kinds.length > 0 && { kinds }),
    ...(types.length > 0 && { types }),
    ...(properties.length > 0 && { properties }),
  };
  const options = { filter, ...(last !== "" && { since: last }) } as ChangeOptions;
  if (openFeeds >= MAX_CHANGE_FEEDS) {
    throw new HttpError(503, `${MAX_CHANGE_FEEDS} clients follow changes already: retry later`);
  }
  return new PullIterator(new RenderedChanges(openChanges(graphNamed(graph), options)));
}

/** Renders many changes at once, because each value of a stream costs turns. */
class RenderedChanges implements PullSource<StreamItems> {
  readonly #reader: ChangeReader;
  #isCounted = false;
  /** Position that the client has got, and when. */
  #reported: string;
  #reportedAtMs = performance.now();

  constructor(reader: ChangeReader) {
    this.#reader = reader;
    this.#reported = reader.position;
  }

  pull(): StreamItems | null {
    if (!this.#isCounted) openFeeds++;
    this.#isCounted = true;
    const items = new StreamItems();
    while (items.length < BATCH_CHARACTERS) {
      const change = this.#reader.pull();
      if (change === null) break;
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

  #addProgress(items: StreamItems): void {
    const { position } = this.#reader;
    const isLate = performance.now() - this.#reportedAtMs >= PROGRESS_MS;
    if (isLate && position !== this.#reported) items.add("", position);
  }
}

/** Most changes need no look at each of their members. */
function changeText(change: GraphChange): string {
  const isPlain =
    change.kind !== "propertySet" ||
    typeof change.value === "string" ||
    Number.isFinite(change.value);
  return isPlain ? JSON.stringify(change) : jsonText(change);
}
