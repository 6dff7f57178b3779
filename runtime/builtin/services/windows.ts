// Requests per plugin over time, for the console. On the admin port, for trusted clients.

import { createParamReader, parseParams } from "../../plugin/convert.js";
import type { Service } from "../service.js";
import { requireTrusted } from "./require-trusted.js";

const READERS = {
  range: createParamReader("range", "int"),
  plugin: createParamReader("plugin", "str"),
};
const DEFAULT_RANGE_S = 300;
const ALL = "*";

export const windowsService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: false,
  handle({ pluginCounters }, request) {
    requireTrusted(request, "windows");
    const { range, plugin } = parseParams(request.query, READERS);
    const name = plugin === undefined || plugin === null || plugin === ALL ? null : String(plugin);
    const seconds = Math.max(1, Number(range ?? DEFAULT_RANGE_S));
    return JSON.stringify(pluginCounters.windows.read(Date.now(), seconds, name));
  },
};
