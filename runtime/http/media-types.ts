// Media types of files by their suffix. The charset is always UTF-8 and added with the header.

import mime from "mime";

/** The media type of a file name; bytes of no known kind for a suffix that is not known. */
export function mediaTypeFor(fileName: string): string {
  return mime.getType(fileName) ?? "application/octet-stream";
}
