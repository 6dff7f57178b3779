// Texts that a thread has decoded, by what they belong to (handle or pointer) and a tag that tells
// whether that still means the same. Bounded: a place holds one text, and long ones are not kept.

const FIRST_PLACES = 1 << 10;
const MAX_PLACES = 1 << 17;
/** Characters of a text that is kept: 128k of them are 8 MiB at most. */
const MAX_LENGTH = 64;

export class TextCache {
  #texts: (string | undefined)[] = new Array(FIRST_PLACES).fill(undefined);
  #owners = new Uint32Array(FIRST_PLACES);
  #tags = new Uint32Array(FIRST_PLACES);
  #evictions = 0;

  get(owner: number, tag: number): string | undefined {
    const place = owner & (this.#owners.length - 1);
    if (this.#owners[place] !== owner || this.#tags[place] !== tag) return undefined;
    return this.#texts[place];
  }

  set(owner: number, tag: number, text: string): void {
    if (text.length > MAX_LENGTH) return;
    const place = owner & (this.#owners.length - 1);
    const before = this.#owners[place]!;
    if (before !== 0 && before !== owner && ++this.#evictions > this.#owners.length) this.#grow();
    this.#put(owner, tag, text);
  }

  #put(owner: number, tag: number, text: string): void {
    const place = owner & (this.#owners.length - 1);
    this.#owners[place] = owner;
    this.#tags[place] = tag;
    this.#texts[place] = text;
  }

  #grow(): void {
    this.#evictions = 0;
    const places = this.#owners.length * 2;
    if (places > MAX_PLACES) return;
    const texts = this.#texts;
    const owners = this.#owners;
    const tags = this.#tags;
    this.#texts = new Array(places).fill(undefined);
    this.#owners = new Uint32Array(places);
    this.#tags = new Uint32Array(places);
    for (let place = 0; place < owners.length; place++) {
      const text = texts[place];
      if (text !== undefined) this.#put(owners[place]!, tags[place]!, text);
    }
  }
}
