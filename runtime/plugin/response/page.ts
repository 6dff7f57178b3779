// Results in pages. The client receives the position of the next page as a cursor and sends it
// back: an opaque, signed text that only the plugin that created it accepts.

import { createHmac, timingSafeEqual } from "node:crypto";
import { ParameterError } from "../../base/errors.js";
import { truncateForMessage } from "../contract/truncate-for-message.js";
import { cursorKey } from "./cursor-key.js";

const SIGNATURE_BYTES = 16;
/** A cursor travels in the query, whose line is limited. */
const MAX_STATE_BYTES = 2048;
const CURSOR = /^([\w-]{2,4096})\.[\w-]{22}$/;

/**
 * Argument of a plugin that returns a `Page`: the position at which the page begins.
 * @typeParam S type of the state, which JSON can represent
 */
export class Cursor<S = unknown> {
  /** State that the previous page passed to `next`. */
  readonly state: S;

  /** @internal */
  constructor(state: S) {
    this.state = state;
  }
}

/** Sets the plugin whose cursor a page contains. */
export let bindPage: (page: Page<unknown, unknown>, plugin: string) => void;

/**
 * Some items of a longer result, and the position of the next page.
 * @typeParam T type of an item
 * @typeParam S type of the state, which JSON can represent
 */
export class Page<T, S = unknown> {
  readonly items: readonly T[];
  /** State for the next page; null for the last page. */
  readonly next: S | null;
  #plugin = "";

  static {
    bindPage = (page, plugin) => {
      page.#plugin = plugin;
    };
  }

  /** @param next state that the plugin gets as `cursor.state` for the next page; null: none */
  constructor(items: readonly T[], next: S | null = null) {
    this.items = items;
    this.next = next;
  }

  /** Returns the representation for clients. */
  toJSON(): { readonly items: readonly T[]; readonly cursor: string | null } {
    const cursor = this.next === null ? null : signCursor(this.next, this.#plugin);
    return { items: this.items, cursor };
  }
}

/** @throws RangeError for a state that is too long */
function signCursor(state: unknown, plugin: string): string {
  const text = Buffer.from(JSON.stringify(state));
  if (text.length > MAX_STATE_BYTES) {
    throw new RangeError(`state of a cursor has ${text.length} bytes; max ${MAX_STATE_BYTES}`);
  }
  return seal(text, plugin);
}

/** Returns the only cursor with this state. */
function seal(state: Buffer, plugin: string): string {
  const hmac = createHmac("sha256", cursorKey()).update(`${plugin}\0`).update(state).digest();
  const signature = hmac.subarray(0, SIGNATURE_BYTES).toString("base64url");
  return `${state.toString("base64url")}.${signature}`;
}

/**
 * Reads the cursor that a client sends back.
 * @throws ParameterError unless the plugin has created it
 */
export function toCursor(name: string, value: unknown, plugin: string): Cursor | null {
  if (value === null) return null;
  const [received = "", text = ""] = CURSOR.exec(String(value)) ?? [];
  const state = Buffer.from(text, "base64url");
  // Compares the texts, because the last letter of base64 has bits without effect.
  const sealed = seal(state, plugin);
  if (
    received.length === sealed.length &&
    timingSafeEqual(Buffer.from(received), Buffer.from(sealed))
  ) {
    return new Cursor(JSON.parse(state.toString()));
  }
  const shown = truncateForMessage(String(value));
  throw new ParameterError("ValueError", `${name}=${shown} (a cursor of this plugin is required)`);
}
