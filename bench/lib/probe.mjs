// Light client: requests paths one after another, with pauses, and records each latency.

import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 2;

/**
 * Sends requests on one keep-alive connection until stopped.
 * @returns {{ stop(): Promise<number[]> }} resolves with the latencies in milliseconds
 */
export function probe(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies = [];
  let stopped = false;
  const ended = sendRequests();
  async function sendRequests() {
    await request(url, agent);
    while (!stopped) {
      const startedMs = performance.now();
      await request(url, agent);
      latencies.push(performance.now() - startedMs);
      await delay(PAUSE_MS);
    }
    agent.destroy();
  }
  return {
    async stop() {
      stopped = true;
      await ended;
      return latencies;
    },
  };
}

/** Sends one request; rejects if the response is not 200. */
export function request(url, agent) {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.on("end", () => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${url}: ${response.statusCode} ${body}`));
      });
    }).on("error", reject);
  });
}
