// Requests to the server that the page came from: paths are relative, so the console also works
// below a prefix. Invalid responses become errors with a message, never a blank page.

/** The response envelope; parts of it are untrusted. */
export interface Reply {
  readonly status: number;
  readonly ok: boolean;
  /** The response, or the message of an error. */
  readonly value: unknown;
  readonly text: string;
  /** Media type of a response without an envelope; empty for an envelope. */
  readonly mediaType: string;
  /** Body of a response without an envelope, unless it is text. */
  readonly body: Blob | null;
  /** Run time measured by the server; null if not sent. */
  readonly execMs: number | null;
  readonly totalMs: number;
  /** Header fields of the response. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** How a matrix produced the response; undefined if not sent. */
  readonly explain?: unknown;
}

const MAX_CAUSES = 4;

export interface ServerRequest {
  readonly method?: "GET" | "POST";
  readonly body?: string | File | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Requests one path, such as `svc/status`.
 * @throws Error without a response
 */
export async function callServer(path: string, question: ServerRequest = {}): Promise<Reply> {
  const begun = performance.now();
  return readResponse(await send(path, question), begun);
}

/**
 * Requests one path, and passes the lines of a successful response on while they arrive.
 * @returns the response with its lines as text up to a limit; an error response whole
 * @throws Error without a response, or if it ends early
 */
export async function streamServer(
  path: string,
  question: ServerRequest,
  onLines: (lines: readonly string[]) => void,
): Promise<Reply> {
  const begun = performance.now();
  const response = await send(path, question);
  const { body, status, headers } = response;
  if (!response.ok || body === null) return readResponse(response, begun);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (rest + value).split("\n");
    rest = done ? "" : lines.pop()!;
    const full = lines.filter((line) => line.trim() !== "");
    if (full.length > 0) onLines(full);
    if (done) break;
  }
  const reply = readReply(status, "", performance.now() - begun, typeOf(response));
  return { ...reply, headers: [...headers] };
}

function send(path: string, { method, body, headers, signal }: ServerRequest): Promise<Response> {
  return fetch(path, {
    method: method ?? "GET",
    headers: { accept: "application/json", ...headers },
    redirect: "error",
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function readResponse(response: Response, begun: number): Promise<Reply> {
  const mediaType = typeOf(response);
  const { status } = response;
  // Avoid blobs for polls: browsers pass a blob through another process.
  const isText = TEXT.test(mediaType);
  const text = isText ? await response.text() : "";
  const received = isText ? null : await response.blob();
  const read = readReply(status, text, performance.now() - begun, mediaType);
  const body = received?.size ? received : null;
  return { ...read, headers: [...response.headers], body };
}

function typeOf({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim();
}

const TEXT = /^text\/|[/+](?:json|xml|x-ndjson|javascript|yaml)$/;

/** Returns the value in an envelope; content without an envelope is the value itself. */
export function readReply(
  status: number,
  text: string,
  totalMs: number,
  mediaType = "application/json",
): Reply {
  const envelope = parsed(text);
  const ok = status >= 200 && status < 300;
  if (!isRecord(envelope) || !("response" in envelope || "message" in envelope)) {
    const value = envelope ?? text;
    const rest = { mediaType, body: null, execMs: null, totalMs, headers: [] };
    return { status, ok, value, text, ...rest };
  }
  const { response, message, exec_ms: execMs, explain } = envelope;
  return {
    status,
    ok,
    value: ok ? response : message,
    text,
    mediaType: "",
    body: null,
    execMs: typeof execMs === "number" ? execMs : null,
    totalMs,
    headers: [],
    explain,
  };
}

/** The server has answered with an error. */
export class RejectedError extends Error {}

/**
 * Returns the response of a service.
 * @throws RejectedError with the server's message, Error without a response
 */
export async function fetchValue(path: string, question: ServerRequest = {}): Promise<unknown> {
  const reply = await callServer(path, question);
  if (!reply.ok) throw new RejectedError(errorMessage(reply));
  return reply.value;
}

/** Returns the message of an error response. */
export function errorMessage({ status, value }: Reply): string {
  if (typeof value === "string") return value;
  if (isRecord(value)) {
    for (const part of Object.values(value)) {
      if (isRecord(part) && typeof part.value === "string") {
        return [`${status}: ${part.value}`, ...causesOf(part)].join("\ncaused by ");
      }
    }
  }
  return `${status}: ${JSON.stringify(value)}`;
}

/** Returns the messages of the causes of an error, outermost first. */
function causesOf(error: Readonly<Record<string, unknown>>): string[] {
  const causes: string[] = [];
  let { cause } = error;
  while (isRecord(cause) && causes.length < MAX_CAUSES) {
    causes.push(typeof cause.value === "string" ? cause.value : "?");
    cause = cause.cause;
  }
  return causes;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
