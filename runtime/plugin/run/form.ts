// Bodies in `multipart/form-data`: text fields are appended to the query, so that they are
// converted and checked like its parameters; files become arguments. The complete body is in memory
// or on disk, within the limit of bodies. Files of a body on disk are ranges of it, not copies.

import { type FileHandle, open } from "node:fs/promises";
import type { RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { truncateForMessage } from "../contract/truncate-for-message.js";
import { bodyView } from "../request/body-view.js";
import { missing } from "../request/query-values.js";
import { type ContentOnDisk, UploadedFile } from "../request/uploaded-file.js";
import { invalid, MultipartScanner, type PartSink } from "./multipart-scanner.js";
import type { PartHead } from "./part-head.js";
import { DeferredCall } from "./validate-arguments.js";

const MEDIA_TYPE = "multipart/form-data";
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 100;
const BOUNDARY = /;[ \t]*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** Exceeds a field with the head of its part. */
const WINDOW_BYTES = 512 * 1024;

/** A request whose form has been read. */
export interface FormSource extends RequestSource {
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/**
 * Calls a plugin that takes files.
 * @param names of its files
 * @param call converts the arguments and calls the function
 * @returns a call that waits for the form
 */
export function callWithForm(
  source: RequestSource,
  names: readonly string[],
  call: (source: FormSource) => unknown,
): DeferredCall {
  let form: FormSource;
  let handle: FileHandle | null = null;
  const release = (): void => {
    handle?.close().catch(() => {});
    handle = null;
  };
  const read = async (): Promise<void> => {
    try {
      if (source.upload) handle = await open(source.upload.path);
      form = await readForm(source, names, handle);
    } catch (error) {
      release();
      throw error;
    }
  };
  return new DeferredCall(read(), () => call(form), release);
}

/** @throws ParameterError for a required file that the form does not have */
export function fileArgument({ files }: FormSource, name: string, required: boolean): unknown {
  const file = files.get(name);
  return file === undefined && required ? missing(name) : file;
}

/** @param handle of the body on disk; null: it is in memory, or there is none */
async function readForm(
  source: RequestSource,
  names: readonly string[],
  handle: FileHandle | null,
): Promise<FormSource> {
  const body = bodyView(source);
  if (body === null && handle === null) return { ...source, files: new Map() };
  const type = headerValue(source.headerBlock, "Content-Type") ?? "";
  if (!type.toLowerCase().startsWith(MEDIA_TYPE)) {
    throw invalid(`media type ${MEDIA_TYPE} is required`);
  }
  const [, quoted, boundary = quoted] = BOUNDARY.exec(type) ?? [];
  if (boundary === undefined) throw invalid("the media type has no boundary");
  const reader = new FormReader(names, (start, size) =>
    handle === null ? copyOf(body!, start, size) : { handle, start, size },
  );
  const scanner = new MultipartScanner(boundary, reader);
  if (handle === null) scanner.scan(body!, 0);
  else await scanFile(scanner, handle);
  scanner.end();
  const query = [source.query, ...reader.fields].filter((part) => part !== "").join("&");
  return { ...source, query, files: reader.files };
}

async function scanFile(scanner: MultipartScanner, handle: FileHandle): Promise<void> {
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  /** Position of the window in the file, and unscanned bytes carried over to the next window. */
  let position = 0;
  let rest = 0;
  for (;;) {
    const free = window.length - rest;
    const { bytesRead } = await handle.read(window, rest, free, position + rest);
    if (bytesRead === 0) return;
    const filled = rest + bytesRead;
    const used = scanner.scan(window.subarray(0, filled), position);
    window.copyWithin(0, used, filled);
    rest = filled - used;
    position += used;
  }
}

/** Copies content, because memory of large bodies is reused after the request. */
function copyOf(body: Buffer, start: number, size: number): Uint8Array {
  const copy = new Uint8Array(size);
  copy.set(body.subarray(start, start + size));
  return copy;
}

class FormReader implements PartSink {
  readonly files = new Map<string, UploadedFile>();
  /** `name=value`, escaped. */
  readonly fields: string[] = [];
  readonly #names: readonly string[];
  readonly #content: (start: number, size: number) => Uint8Array | ContentOnDisk;

  constructor(
    names: readonly string[],
    content: (start: number, size: number) => Uint8Array | ContentOnDisk,
  ) {
    this.#names = names;
    this.#content = content;
  }

  begin({ field, fileName }: PartHead): number | null {
    if (fileName === null) {
      if (this.fields.length >= MAX_FIELDS) throw invalid(`more than ${MAX_FIELDS} fields`);
      return MAX_FIELD_BYTES;
    }
    const isTwice = this.files.has(field);
    if (!isTwice && this.#names.includes(field)) return null;
    const problem = isTwice ? "given twice" : "unknown";
    throw invalid(`file ${truncateForMessage(field)} is ${problem}`);
  }

  part({ field, fileName, type }: PartHead, start: number, size: number, text: Buffer | null) {
    if (text === null) {
      // Browsers send this for a file input without a file.
      if (fileName === "" && size === 0) return;
      this.files.set(field, new UploadedFile(fileName!, type, this.#content(start, size)));
    } else {
      if (size > 0 && this.#names.includes(field)) {
        throw invalid(`file ${truncateForMessage(field)} has no file name`);
      }
      this.fields.push(`${encodeURIComponent(field)}=${encodeURIComponent(text.toString())}`);
    }
  }
}
