// A proxy that presents one instance as many: the overview lists copies of it, and one in seven
// changes in each poll. All other requests go to the real server.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const OVERVIEW = "/svc/builtin/system_overview";
const EVERY = 7;

/**
 * @param adminPort of the real server
 * @returns the address of the console, and a function that ends the server
 */
export async function serveMany(adminPort, instances) {
  const real = `http://127.0.0.1:${adminPort}`;
  let poll = 0;
  await untilPolled(real);
  const server = createServer((request, response) => {
    // A browser may still send requests after the real server has exited.
    answer(request, response).catch(() => response.destroy());
  });
  async function answer(request, response) {
    const isOverview = request.url.startsWith(OVERVIEW);
    const url = isOverview ? `${OVERVIEW}?form=short&known=` : request.url;
    const { accept = "*/*" } = request.headers;
    const reply = await fetch(real + url, { headers: { accept } });
    const type = reply.headers.get("content-type") ?? "text/plain";
    response.writeHead(reply.status, { "content-type": type });
    if (!isOverview) return response.end(Buffer.from(await reply.arrayBuffer()));
    const isFirst = /known=(&|$)/.test(request.url);
    response.end(JSON.stringify(multiplied(await reply.json(), instances, isFirst, poll++)));
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}/system`, close: () => server.close() };
}

/** Waits until the overview has metrics: the server polls itself. */
async function untilPolled(real) {
  for (;;) {
    const answer = await fetch(`${real}${OVERVIEW}?form=short&known=`);
    if ((await answer.json()).response.live?.length > 0) return;
    await delay(100);
  }
}

function multiplied(answer, instances, isFirst, poll) {
  const { response } = answer;
  const [[, ...instance]] = response.instances;
  const [[, rate, ...live]] = response.live;
  const [[, ...rest]] = response.rest;
  const indexes = Array.from({ length: instances }, (_, at) => at);
  const changed = indexes.filter((at) => isFirst || at % EVERY === poll % EVERY);
  const short = {
    ...{ id: "S0", revision: `many-${poll}`, at: response.at, polled: response.polled + poll },
    live: changed.map((at) => [at, rate + ((at + poll) % 100), ...live]),
  };
  if (!isFirst) return { ...answer, response: short };
  const list = indexes.map((at) => [`S${at}`, ...instance]);
  const rows = indexes.map((at) => [at, ...rest]);
  return { ...answer, response: { ...response, ...short, instances: list, rest: rows } };
}
