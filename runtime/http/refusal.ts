// What a transport answers by itself when a request breaks a rule of HTTP or a limit. The texts are
// the messages of the answers; some are given by the interface, the others are reason phrases.

export class Refusal {
  constructor(
    readonly status: number,
    readonly message: string,
    /** Header lines for the answer, each with its CR LF. */
    readonly fields = "",
  ) {}
}

/** The one that an operator has to hear of. */
export function notParent(address: string): Refusal {
  return new Refusal(
    403,
    `403 Forbidden: http.parents does not allow ${address} to be a dispatcher`,
  );
}

export const INVALID_REQUEST_LINE = new Refusal(400, "Invalid HTTP request line");
export const INVALID_HEADER = new Refusal(400, "Invalid HTTP header");
export const INVALID_TARGET = new Refusal(
  400,
  "X-SVC-Partial-Target: expected a whole decimal number, 0 and up",
);
export const INVALID_CONTENT = new Refusal(400, "Invalid HTTP content");
export const REQUEST_TIMEOUT = new Refusal(408, "Request Timeout");
export const PAYLOAD_TOO_LARGE = new Refusal(413, "Payload Too Large");
export const URI_TOO_LONG = new Refusal(414, "URI Too Long");
export const EXPECTATION_FAILED = new Refusal(417, "Expectation Failed");
export const TOO_MANY_CONNECTIONS = new Refusal(429, "Too Many Requests");
export const TOO_MANY_REQUESTS = new Refusal(429, "Too Many Requests", "Retry-After: 1\r\n");
export const UNKNOWN_CODING = new Refusal(501, "Not Implemented");
/** Nothing was executed: the same request may do later, or elsewhere. */
export const BODY_MEMORY_USED_UP = new Refusal(
  503,
  "Service Unavailable: other request bodies take all memory for them",
  "Retry-After: 2\r\n",
);
export const ANSWER_MEMORY_USED_UP = new Refusal(
  503,
  "Service Unavailable: answers that were not read take all memory for them",
  "Retry-After: 2\r\n",
);
/** For what was executed and must not be sent again by those who take 503 to mean the opposite. */
export const ANSWER_DROPPED = new Refusal(
  500,
  "Internal Server Error: the request was executed, but there is no memory for its answer",
);
export const VERSION_NOT_SUPPORTED = new Refusal(505, "HTTP Version Not Supported");
