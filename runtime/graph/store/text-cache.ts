// Per-thread cache of decoded texts, by owner (handle or pointer) and a tag that changes with the
// owner's meaning. Direct-mapped and bounded; long texts are not cached.
//
//   marks   {owner, moment at which its tag was last validated} per slot
//   tags    tag per slot
//   texts   text per slot; if the moment is current, the tag need not be fetched

const FIRST_PLACES = 1 << 6;
const MAX_PLACES = 1 << 17;
/** Maximum characters of a cached text: 128k texts take at most 8 MiB. */
const MAX_LENGTH = 64;
const MARK_WORDS = 2;
const MOMENT = 1;
/** Moments are even, so this one never matches. */
const NO_MOMENT = 1;

export class TextCache {
  #texts: (string | undefined)[] = new Array(FIRST_PLACES).fill(undefined);
  #marks = new Uint32Array(FIRST_PLACES * MARK_WORDS);
  #tags = new Uint32Array(FIRST_PLACES);
  #evictions = 0;

  get(owner: number, tag: number): string | undefined {
    const slot = owner & (this.#texts.length - 1);
    if (this.#marks[slot * MARK_WORDS] !== owner || this.#tags[slot] !== tag) return undefined;
    return this.#texts[slot];
  }

  /** Returns the text of an owner whose tag was validated at this moment. */
  confirmed(owner: number, moment: number): string | undefined {
    const slot = owner & (this.#texts.length - 1);
    const mark = slot * MARK_WORDS;
    if (this.#marks[mark] !== owner || this.#marks[mark + MOMENT] !== moment) return undefined;
    return this.#texts[slot];
  }

  /** Records that the tag of an owner was valid at a moment, an even number. */
  confirm(owner: number, moment: number): void {
    const mark = (owner & (this.#texts.length - 1)) * MARK_WORDS;
    if (this.#marks[mark] === owner) this.#marks[mark + MOMENT] = moment;
  }

  set(owner: number, tag: number, text: string): void {
    if (text.length > MAX_LENGTH) return;
    const before = this.#marks[(owner & (this.#texts.length - 1)) * MARK_WORDS]!;
    if (before !== 0 && before !== owner && ++this.#evictions > this.#texts.length) this.#grow();
    this.#put(owner, tag, text);
  }

  #put(owner: number, tag: number, text: string): void {
    const slot = owner & (this.#texts.length - 1);
    const mark = slot * MARK_WORDS;
    this.#marks[mark] = owner;
    this.#tags[slot] = tag;
    this.#marks[mark + MOMENT] = NO_MOMENT;
    this.#texts[slot] = text;
  }

  #grow(): void {
    this.#evictions = 0;
    const slots = this.#texts.length * 2;
    if (slots > MAX_PLACES) return;
    const texts = this.#texts;
    const marks = this.#marks;
    const tags = this.#tags;
    this.#texts = new Array(slots).fill(undefined);
    this.#marks = new Uint32Array(slots * MARK_WORDS);
    this.#tags = new Uint32Array(slots);
    for (let slot = 0; slot < texts.length; slot++) {
      const text = texts[slot];
      if (text !== undefined) this.#put(marks[slot * MARK_WORDS]!, tags[slot]!, text);
    }
  }
}
