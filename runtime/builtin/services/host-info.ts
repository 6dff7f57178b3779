// Services that identify the instance: hc, ping, time, storage.

import { nowMs } from "../../base/clock.js";
import { duration, timestamp } from "../format.js";
import type { ServerView } from "../server-view.js";
import { jsonService, type Service, textService } from "../service.js";

/**
 * Reports a healthy instance; the engine responds with 503 instead where required (http-interface,
 * "States and transitions"). An instance whose transaction log cannot be written is healthy,
 * because it serves reads.
 */
export const healthCheck: Service = {
  ...textService(() => "SVC/3", false),
  fields: (view) => {
    const { logState, leads } = view;
    const readonly = refusesChanges(view) ? `X-SVC-Readonly: ${logState}\r\n` : "";
    return leads === null ? readonly : `${readonly}X-SVC-Leader: ${leads}\r\n`;
  },
};

export const ping = jsonService((view) => {
  const now = Date.now();
  return {
    host: {
      ip: view.host.ip,
      name: view.host.name,
      uptime: duration(view.startedAtMs, nowMs()),
      current_time: timestamp(now),
      cpu: view.host.cpu,
      memory: view.host.memoryBytes,
      version: `svc ${view.version} [Node ${process.version}]`,
    },
  };
});

export const time = jsonService((view) => {
  const now = Date.now();
  return {
    time: {
      up: duration(view.startedAtMs, nowMs()),
      start: timestamp(view.startedAtMs),
      current: timestamp(now),
    },
  };
});

export const storage = jsonService((view) => ({ sysroot: view.root.replaceAll("\\", "/") }));

/** Returns whether the transaction log cannot be written. */
export function refusesChanges({ logState }: Pick<ServerView, "logState">): boolean {
  return logState === "full" || logState === "failed";
}
