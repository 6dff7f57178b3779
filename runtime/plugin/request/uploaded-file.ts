// A file of a form, as plugin code sees it. The client states its name and type.

import { writeFile } from "node:fs/promises";

/** Argument for a file of a request with `multipart/form-data`. */
export class UploadedFile {
  /** Name on the client's machine, without folders. */
  readonly name: string;
  /** Media type that the client states; it may be wrong. */
  readonly type: string;
  readonly bytes: Uint8Array;

  constructor(name: string, type: string, bytes: Uint8Array) {
    this.name = name;
    this.type = type;
    this.bytes = bytes;
  }

  /** Number of bytes. */
  get size(): number {
    return this.bytes.length;
  }

  /** The content as text; invalid UTF-8 becomes U+FFFD. */
  text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** Writes the file to a path, which must not come from the client. */
  async saveTo(path: string): Promise<void> {
    await writeFile(path, this.bytes);
  }
}
