// Parses the change feed of a back-end:
//
//   id: <position>\n[data: <JSON of the change>\n]\n      and      event: error\ndata: <name>\n\n

import { MalformedResponse } from "../response-parser.js";

/** One event; `json` is empty for a position without a change. */
export interface FeedEvent {
  readonly id: string;
  readonly json: string;
}

/** Exceeds a change with the largest value. */
const MAX_EVENT_CHARACTERS = 64 * 1024 * 1024;
const ID = /^[\x21-\x7e]{1,8000}$/;
const ERROR = "event: error\ndata: ";
const END = "\n\n";

/** The error that ended the feed of a back-end, with its class name. */
export class FeedFailure extends Error {
  constructor(name: string) {
    super(`change feed of a back-end ended: ${name}`);
    this.name = name;
  }
}

export interface ReadEvents {
  readonly events: readonly FeedEvent[];
  /** The error that ended the feed after these events; null: none. */
  readonly failure: FeedFailure | null;
}

const NONE: ReadEvents = { events: [], failure: null };

export class EventReader {
  /** Parts of an incomplete event. */
  #rest: string[] = [];
  #length = 0;

  /**
   * Returns the events completed by a part of the response.
   * @throws MalformedResponse
   */
  read(part: string): ReadEvents {
    const isComplete = ((this.#rest.at(-1) ?? "").slice(-1) + part).includes(END);
    this.#append(part);
    if (!isComplete) return NONE;
    const text = this.#rest.join("");
    const events: FeedEvent[] = [];
    let start = 0;
    for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END, start)) {
      const lines = text.slice(start, end);
      if (lines.startsWith(ERROR)) {
        return { events, failure: new FeedFailure(parseErrorName(lines.slice(ERROR.length))) };
      }
      start = end + END.length;
      if (!lines.startsWith(":")) events.push(parse(lines));
    }
    this.#rest = [];
    this.#length = 0;
    this.#append(text.slice(start));
    return { events, failure: null };
  }

  #append(part: string): void {
    if (part === "") return;
    this.#rest.push(part);
    this.#length += part.length;
    if (this.#length > MAX_EVENT_CHARACTERS) throw new MalformedResponse("event too large");
  }
}

/** @throws MalformedResponse */
function parse(lines: string): FeedEvent {
  const lineEnd = lines.indexOf("\n");
  const id = lines.slice("id: ".length, lineEnd < 0 ? undefined : lineEnd);
  const data = lineEnd < 0 ? "" : lines.slice(lineEnd + 1);
  const isEvent = lines.startsWith("id: ") && ID.test(id) && !data.includes("\n");
  if (!isEvent || !(data === "" || data.startsWith("data: "))) {
    throw new MalformedResponse("invalid event of a change feed");
  }
  return { id, json: data.slice("data: ".length) };
}

function parseErrorName(json: string): string {
  return /^"(\w{1,100})"$/.exec(json)?.[1] ?? "Error";
}
