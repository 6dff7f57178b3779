// Items of a stream that are JSON texts with ids from which clients can continue. Several items
// are sent as one value of the stream, since each value costs a turn of its iterator.

import type { StreamFormat } from "../contract/request-source.js";

export class StreamItems {
  readonly #texts: string[] = [];
  readonly #ids: string[] = [];
  /** Total characters of all items. */
  length = 0;

  /**
   * Adds an item.
   * @param json without line breaks; empty: progress only, which clients of event streams receive
   * @param id what a client sends as `Last-Event-ID` to continue; a line of ASCII
   */
  add(json: string, id: string): void {
    this.#texts.push(json);
    this.#ids.push(id);
    this.length += json.length + id.length;
  }

  /** Returns the items in a format. */
  format(format: StreamFormat): string {
    let text = "";
    for (let index = 0; index < this.#texts.length; index++) {
      const json = this.#texts[index]!;
      const isItem = json !== "";
      if (format === "ndjson") text += isItem ? `${json}\n` : "";
      else text += `id: ${this.#ids[index]}\n${isItem ? `data: ${json}\n\n` : "\n"}`;
    }
    return text;
  }
}
