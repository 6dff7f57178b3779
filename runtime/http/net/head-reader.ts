// Finds and parses the head of the next request in the latin1 text that a connection received.
// Clients repeat their requests: a line or a header section equal to the previous one of the
// connection is detected by one comparison and not parsed again.

import {
  FORWARDED_FIELDS,
  FORWARDED_HEAD_BYTES,
  MAX_HEAD_BYTES,
  MAX_HEADER_FIELDS,
  MAX_HEADER_LINE_BYTES,
  MAX_REQUEST_LINE_BYTES,
} from "../../base/limits.js";
import type { Ident } from "../../plugin/contract/request-source.js";
import { TRUNK_LINE } from "../../trunk/frames.js";
import {
  type HeaderFields,
  isCredential,
  isValidHeaderBlock,
  readHeaderFields,
} from "../header-fields.js";
import { HttpRejection, INVALID_HEADER, URI_TOO_LONG } from "../rejections.js";
import type { Method } from "../transport.js";
import { parseIdentLine, readRequestLine, validateRequestLinePrefix } from "./request-line.js";

/** A dispatcher may write `/svc` for a shorter prefix. */
const SVC_PATH_BYTES = "/svc".length;

export type HeadOutcome = "request" | "ident" | "trunk" | "incomplete" | HttpRejection;
const TRUNK = TRUNK_LINE.trimEnd();

export class HeadReader {
  // Results of the last `read`: fields instead of an object, which would be allocated per request.
  method: Method = "GET";
  target = "";
  fields: HeaderFields | null = null;
  /** Why a request is rejected although its end is known. */
  refusal: HttpRejection | null = null;
  ident: Ident | null = null;
  /** Offset after the head. */
  end = 0;

  /** The peer is a dispatcher: the fields that it adds may exceed the limit. */
  isForwarded = false;
  readonly #allowed: (fields: HeaderFields) => HeaderFields;
  /** Line of the last valid request. */
  #line: string | null = null;
  /** Header section of the previous request, with its empty line. */
  #section = "";
  #sectionFields: HeaderFields | null = null;
  /** Validated bytes of the unfinished header section; 0 between heads. */
  #validatedBytes = 0;

  /** @param allowed removes the fields that the client may not send */
  constructor(allowed: (fields: HeaderFields) => HeaderFields) {
    this.#allowed = allowed;
  }

  /** Reads the head that begins at `at`. A rejection as outcome is final for the connection. */
  read(text: string, at: number): HeadOutcome {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return validateRequestLinePrefix(text.slice(at)) ?? "incomplete";
    const former = this.#line;
    const isRepeated =
      former !== null && former.length === lineEnd - at && text.startsWith(former, at);
    const failure = isRepeated ? null : this.#readLine(text.slice(at, lineEnd), lineEnd);
    if (failure !== null) return failure;
    const outcome = this.#readSection(text, at, lineEnd + 2);
    if (outcome !== "incomplete") this.#validatedBytes = 0;
    return outcome;
  }

  /** Releases the cached heads. */
  forget(): void {
    this.target = "";
    this.fields = null;
    this.#line = null;
    this.#section = "";
    this.#sectionFields = null;
  }

  /** Returns the outcome of a line that does not begin a request, null for a request line. */
  #readLine(line: string, lineEnd: number): HeadOutcome | null {
    const request = readRequestLine(line);
    if (request instanceof HttpRejection) return this.#readIdent(line, lineEnd) ?? request;
    this.method = request.method;
    this.target = request.target;
    const maxLine = MAX_REQUEST_LINE_BYTES + (this.isForwarded ? SVC_PATH_BYTES : 0);
    this.refusal = line.length > maxLine ? URI_TOO_LONG : null;
    this.#line = this.refusal === null ? line : null;
    return null;
  }

  get #maxBytes(): number {
    return MAX_HEAD_BYTES + (this.isForwarded ? FORWARDED_HEAD_BYTES : 0);
  }

  #readSection(text: string, at: number, start: number): HeadOutcome {
    if (this.#section !== "" && text.startsWith(this.#section, start)) {
      this.end = start + this.#section.length;
      this.fields = this.#sectionFields;
      return "request";
    }
    const lastLine = text.indexOf("\r\n\r\n", start - 2);
    if (lastLine < 0) return this.#validatePartial(text, at, start);
    this.end = lastLine + 4;
    if (this.end - at > this.#maxBytes) return this.refusal ?? INVALID_HEADER;
    const maxFields = MAX_HEADER_FIELDS + (this.isForwarded ? FORWARDED_FIELDS : 0);
    const block = text.slice(start, Math.max(start, lastLine + 2));
    const fields = readHeaderFields(block, maxFields);
    if (fields instanceof HttpRejection) return fields;
    this.#section = `${fields.block}\r\n`;
    this.#sectionFields = this.#allowed(fields);
    this.fields = this.#sectionFields;
    return "request";
  }

  /** Validates complete lines at once, so that a malformed head is rejected before its end. */
  #validatePartial(text: string, at: number, start: number): HeadOutcome {
    if (text.length - at > this.#maxBytes) return this.refusal ?? INVALID_HEADER;
    const unfinished = Math.max(start, text.lastIndexOf("\r\n") + 2);
    if (!isValidHeaderBlock(text.slice(start + this.#validatedBytes, unfinished)))
      return INVALID_HEADER;
    this.#validatedBytes = unfinished - start;
    const line = text.slice(unfinished);
    const isTooLong = line.length > MAX_HEADER_LINE_BYTES + 1 && !isCredential(line);
    return line.includes("\n") || isTooLong ? INVALID_HEADER : "incomplete";
  }

  /** Reads the line that identifies a dispatcher. */
  #readIdent(line: string, lineEnd: number): HeadOutcome | null {
    if (line === TRUNK) {
      this.end = lineEnd + 2;
      return "trunk";
    }
    const ident = line.length > MAX_HEADER_LINE_BYTES ? URI_TOO_LONG : parseIdentLine(line);
    if (ident === null || ident instanceof HttpRejection) return ident;
    this.ident = ident;
    this.end = lineEnd + 2;
    return "ident";
  }
}
