// The latest log entries for the console, after the cursor of the previous response. On the admin
// port, for trusted clients: a log reveals clients and faults.

import { recentLogEntries } from "../../base/recent-log.js";
import { createParamReader, parseParams } from "../../plugin/convert.js";
import { ForbiddenError, type Service } from "../service.js";

const READERS = { after: createParamReader("after", "int") };

export const logService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: true,
  handle(_view, { query, isTrusted }) {
    if (!isTrusted) {
      throw new ForbiddenError("403 Forbidden: the log requires loopback or http.trustedNetworks");
    }
    const { after } = parseParams(query, READERS);
    return JSON.stringify(recentLogEntries(Math.max(0, Number(after ?? 0))));
  },
};
