// Media types of files by suffix. The charset is always UTF-8 and added with the header.

import mime from "mime";

/** Returns the media type of a file name; `application/octet-stream` for unknown suffixes. */
export function mediaTypeFor(fileName: string): string {
  return mime.getType(fileName) ?? "application/octet-stream";
}
