// For plugin authors: the result of the last build of `svc dev`, and failed calls with their source
// lines. On the admin port, for trusted clients: it shows code.

import { lastBuild } from "../../base/build-report.js";
import { failedCalls } from "../../base/failed-calls.js";
import { recentLogEntries } from "../../base/recent-log.js";
import { ForbiddenError, type Service } from "../service.js";

const MAX_FAILURES = 20;
/** Failures without an exception; exceptions are reported with their requests. */
const FAILED = /^plugin \S+ (?:ran past|ended with)/;

export const buildService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: false,
  handle(_view, { isTrusted }) {
    if (!isTrusted) {
      throw new ForbiddenError(
        "403 Forbidden: build reports require loopback or http.trustedNetworks",
      );
    }
    const { lines } = recentLogEntries(0);
    const failed = lines.filter(({ level, text }) => level === "error" && FAILED.test(text));
    const failures = failed.slice(-MAX_FAILURES);
    return JSON.stringify({ build: lastBuild(), failures, calls: failedCalls() });
  },
};
