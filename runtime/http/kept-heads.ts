// Heads of responses by media type and status, which most responses share.

/** Plugins may return media types that clients chose. */
const MAX_MEDIA_TYPES = 100;

export class KeptHeads<Head> {
  readonly #make: (status: number, mediaType: string | null) => Head;
  readonly #byMediaType = new Map<string | null, Map<number, Head>>();

  constructor(make: (status: number, mediaType: string | null) => Head) {
    this.#make = make;
  }

  /** @param mediaType null: no content */
  get(status: number, mediaType: string | null): Head {
    let heads = this.#byMediaType.get(mediaType);
    if (heads === undefined) {
      if (this.#byMediaType.size === MAX_MEDIA_TYPES) this.#byMediaType.clear();
      heads = new Map();
      this.#byMediaType.set(mediaType, heads);
    }
    let head = heads.get(status);
    if (head === undefined) {
      head = this.#make(status, mediaType);
      heads.set(status, head);
    }
    return head;
  }
}
