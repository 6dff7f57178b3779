// The latest state changes for the console, after the cursor of the previous response. On the admin
// port, for trusted clients.

import { recentEvents } from "../../base/recent-events.js";
import { createParamReader, parseParams } from "../../plugin/convert.js";
import type { Service } from "../service.js";
import { requireTrusted } from "./require-trusted.js";

const READERS = { after: createParamReader("after", "int") };

export const eventsService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: false,
  handle(_view, request) {
    requireTrusted(request, "events");
    const { after } = parseParams(request.query, READERS);
    return JSON.stringify(recentEvents(Math.max(0, Number(after ?? 0))));
  },
};
