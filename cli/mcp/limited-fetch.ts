// `fetch` for untrusted servers: fails as soon as a response exceeds the maximum of a tool result,
// before it fills the memory.

/** Results have at most 8 MB; JSON may escape one character by six. */
const MAX_RESPONSE_BYTES = 48 * 1024 * 1024;

export async function limitedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, headers } = response;
  if (body === null) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= MAX_RESPONSE_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`the answer has more than ${MAX_RESPONSE_BYTES} bytes`));
    },
  });
  return new Response(body.pipeThrough(counter), { status, headers });
}
