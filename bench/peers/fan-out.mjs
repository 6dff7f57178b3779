// Hand-written fan-out of a matrix: requests every server on the command line over keep-alive
// connections (undici), parses the responses, sorts all entries by key, descending, and writes them
// as JSON.
//
//   node fan-out.mjs <port>...

import { createServer } from "node:http";
import { Pool } from "undici";
import { announce, TYPE } from "./answer.mjs";

/** Same number as a dispatcher. */
const CONNECTIONS = 32;

const pools = process.argv.slice(2).map((port) => {
  return new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
});

const server = createServer(async (request, response) => {
  const startedMs = performance.now();
  const answers = await Promise.all(pools.map((pool) => ask(pool, request.url)));
  const body = JSON.stringify({
    status: "OK",
    response: merged(answers.map(({ response }) => response)),
    level: 1,
    partitions: [answers.length, 0, answers.length],
    exec_ms: Math.round((performance.now() - startedMs) * 1000) / 1000,
  });
  const headers = { "Content-Type": TYPE, "Content-Length": Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
});
server.listen(0, "127.0.0.1", () => announce(server.address().port));

async function ask(pool, path) {
  const { statusCode, body } = await pool.request({ path, method: "GET" });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
  return JSON.parse(text);
}

function merged(parts) {
  const entries = parts.flatMap((part) => part.entries);
  entries.sort(([a], [b]) => b - a);
  const sum = (figure) => parts.reduce((total, part) => total + figure(part), 0);
  return {
    level: Math.max(...parts.map(({ level }) => level)) + 1,
    levelparts: parts.length,
    partials: sum(({ partials }) => partials),
    hitcount: sum(({ hitcount }) => hitcount),
    aggregator: [0, 1, 2, 3].map((at) => sum(({ aggregator }) => aggregator[at])),
    meta: parts[0].meta,
    entries: entries.slice(0, entries.length / parts.length),
  };
}
