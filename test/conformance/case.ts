// Definition of a conformance case, and the vocabulary of the tables of cases. Paths are those of
// the test engine; a response is given by status and, where relevant, body or head.

export interface ExpectedResponse {
  readonly status: number;
  readonly body?: string;
  /** Exact status line and header fields, without the empty line. */
  readonly head?: string;
  /** Response to a HEAD request, without content. */
  readonly isHead?: boolean;
}

export interface Case {
  readonly rule: string;
  readonly name: string;
  /** Latin1 text, or parts that are sent in separate packets. */
  readonly send: string | readonly string[];
  readonly expect: readonly ExpectedResponse[];
  /** Data that must arrive before the next part is sent. */
  readonly waitsFor?: string | undefined;
  /**
   * State of the connection afterwards: an open one serves another request, on a waiting one the
   * request is incomplete.
   */
  readonly after: "open" | "closed" | "waiting";
  /** The client half-closes the connection after sending. */
  readonly ends?: boolean;
}

export const HOST = "Host: a\r\n";
export const SERVER = "Server: SVC/3\r\nConnection: keep-Alive\r\n";
/** Flags in the echo of a request with only a Host field. */
export const PLAIN = "json 0 0 -1 1";

type Send = Case["send"];

/** A table of cases and functions that add to it. */
export interface CaseTable {
  readonly cases: readonly Case[];
  add(rule: string, name: string, rest: Omit<Case, "rule" | "name">): void;
  /** A request that is rejected, after which the connection closes. */
  refused(rule: string, name: string, send: Send, status: number, message: string): void;
  /** A request that the echo path answers. */
  echoed(rule: string, name: string, send: Send, body: string): void;
  badLine(rule: string, name: string, send: Send): void;
  /** Header fields that are rejected. */
  badHeader(rule: string, name: string, fields: string): void;
}

export function caseTable(): CaseTable {
  const cases: Case[] = [];
  const add: CaseTable["add"] = (rule, name, rest) => cases.push({ rule, name, ...rest });
  const refused: CaseTable["refused"] = (rule, name, send, status, message) => {
    const body = `${status} ${message}`;
    add(rule, name, { send, expect: [{ status, body }], after: "closed" });
  };
  return {
    cases,
    add,
    refused,
    echoed: (rule, name, send, body) =>
      add(rule, name, { send, expect: [{ status: 200, body }], after: "open" }),
    badLine: (rule, name, send) => refused(rule, name, send, 400, "Invalid HTTP request line"),
    badHeader: (rule, name, fields) =>
      refused(rule, name, get("/echo", fields), 400, "Invalid HTTP header"),
  };
}

export function get(target: string, fields = HOST): string {
  return `GET ${target} HTTP/1.1\r\n${fields}\r\n`;
}

export function post(target: string, body: string, fields = ""): string {
  return `POST ${target} HTTP/1.1\r\n${HOST}${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
}

export function chunked(body: string, fields = ""): string {
  return `POST /echo HTTP/1.1\r\n${HOST}${fields}Transfer-Encoding: chunked\r\n\r\n${body}`;
}
