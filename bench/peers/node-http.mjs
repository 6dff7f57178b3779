// Node's own HTTP server.

import { createServer } from "node:http";
import { announce, answer, PATH, TYPE } from "./answer.mjs";

const server = createServer((request, response) => {
  const startedMs = performance.now();
  const [path, query] = request.url.split("?", 2);
  const isKnown = path === PATH && request.method === "GET";
  const body = isKnown ? answer(new URLSearchParams(query).get("n"), startedMs) : "not found";
  const headers = { "Content-Type": TYPE, "Content-Length": Buffer.byteLength(body) };
  response.writeHead(isKnown ? 200 : 404, headers).end(body);
});
server.listen(0, "127.0.0.1", () => announce(server.address().port));
