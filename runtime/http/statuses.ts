// Reason phrases of the status codes that the server sends (interface, "HTTP status codes", and
// the few that HTTP/1.1 itself asks for).

const PHRASES: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Payload Too Large",
  414: "URI Too Long",
  417: "Expectation Failed",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  508: "Loop Detected",
};

/** The reason phrase of a status code; for one outside the table, the phrase of its class. */
export function reasonPhrase(status: number): string {
  return PHRASES[status] ?? (status < 400 ? "OK" : PHRASES[status < 500 ? 400 : 500]!);
}
