// Responses that a transport sends itself when a request violates HTTP or exceeds a limit. Some
// messages are fixed by the interface, the others are reason phrases.

/** Header line of refusals that do not last. */
export const RETRY_AFTER = "Retry-After: 1\r\n";

/** Label of the metric that counts rejections. */
export type RejectionReason =
  | "malformed"
  | "forbidden"
  | "timeout"
  | "too-large"
  | "connections"
  | "rate"
  | "request-memory"
  | "response-memory";

export class HttpRejection {
  constructor(
    readonly status: number,
    readonly message: string,
    /** Header lines of the response, each with its CR LF. */
    readonly fields = "",
    readonly reason: RejectionReason = "malformed",
  ) {}
}

/** The rejection that operators should see in the log. */
export function dispatcherNotAllowed(address: string): HttpRejection {
  return new HttpRejection(
    403,
    `403 Forbidden: ${address} may not dispatch to this server; ` +
      "add its network to http.dispatcherNetworks",
    "",
    "forbidden",
  );
}

export const INVALID_REQUEST_LINE = new HttpRejection(400, "Invalid HTTP request line");
export const INVALID_HEADER = new HttpRejection(400, "Invalid HTTP header");
export const INVALID_TARGET = new HttpRejection(
  400,
  "X-SVC-Partial-Target: expected a whole decimal number, 0 and up",
);
export const INVALID_KEY = new HttpRejection(
  400,
  "X-SVC-Key: expected one key of 1 to 2048 bytes, percent-encoded UTF-8",
);
export const NO_SLOTS = new HttpRejection(
  400,
  "X-SVC-Key: the system has no slots, see `slots` of the system descriptor",
);
export const NOT_BELOW = new HttpRejection(
  421,
  "421 Misdirected Request: no back-end of this dispatcher owns the key",
);
export const INVALID_CONTENT = new HttpRejection(400, "Invalid HTTP content");
export const FEED_WITH_CONTENT = new HttpRejection(
  400,
  "400 Bad Request: parameters of a change feed must be in the query, not in the body",
);
export const REQUEST_TIMEOUT = new HttpRejection(408, "Request Timeout", "", "timeout");
export const UNAUTHENTICATED = new HttpRejection(
  401,
  "401 Unauthorized: a valid credential is required",
  "WWW-Authenticate: Bearer\r\n",
);
export const AUTHENTICATION_UNAVAILABLE = new HttpRejection(
  503,
  "Service Unavailable: the credential cannot be checked",
  "Retry-After: 2\r\n",
);
export const PAYLOAD_TOO_LARGE = new HttpRejection(413, "Payload Too Large", "", "too-large");
export const URI_TOO_LONG = new HttpRejection(414, "URI Too Long", "", "too-large");
export const EXPECTATION_FAILED = new HttpRejection(417, "Expectation Failed");
export const TOO_MANY_CONNECTIONS = new HttpRejection(429, "Too Many Requests", "", "connections");
export const TOO_MANY_REQUESTS = new HttpRejection(429, "Too Many Requests", RETRY_AFTER, "rate");
export const UNSUPPORTED_CONTENT_CODING = new HttpRejection(501, "Not Implemented");
/** Nothing was executed: the request is retryable. */
export const BODY_MEMORY_EXHAUSTED = new HttpRejection(
  503,
  "Service Unavailable: request body memory exhausted",
  "Retry-After: 2\r\n",
  "request-memory",
);
export const UPLOAD_SPACE_EXHAUSTED = new HttpRejection(
  503,
  "Service Unavailable: disk space for uploads exhausted",
  "Retry-After: 2\r\n",
  "request-memory",
);
export const UPLOAD_NOT_STORED = new HttpRejection(507, "Insufficient Storage: upload not stored");
export const RESPONSE_MEMORY_EXHAUSTED = new HttpRejection(
  503,
  "Service Unavailable: response memory exhausted by unread responses",
  "Retry-After: 2\r\n",
  "response-memory",
);
/** For executed requests, which clients must not retry as they would after 503. */
export const RESPONSE_DROPPED = new HttpRejection(
  500,
  "Internal Server Error: request was executed, but its response exceeds the response memory",
  "",
  "response-memory",
);
export const VERSION_NOT_SUPPORTED = new HttpRejection(505, "HTTP Version Not Supported");
