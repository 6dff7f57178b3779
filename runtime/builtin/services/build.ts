// What who writes plugins wants to see: how the last build of `svc dev` went, and which calls have
// failed, with the lines of their sources. On the admin port, for trusted clients: it shows code.

import { lastBuild } from "../../base/build-report.js";
import { keptEntries } from "../../base/log-ring.js";
import { ForbiddenError, type Service } from "../service.js";

const MAX_FAILURES = 20;
const FAILED = /^(?:\/svc\/\S+ threw |plugin \S+ (?:ran past|ended with))/;

export const buildService: Service = {
  mediaType: "application/json",
  isAdminOnly: true,
  countsInMetrics: true,
  handle(_view, { isTrusted }) {
    if (!isTrusted) {
      throw new ForbiddenError("403 Forbidden: builds are for this machine and http.trusted");
    }
    const { lines } = keptEntries(0);
    const failed = lines.filter(({ level, text }) => level === "error" && FAILED.test(text));
    return JSON.stringify({ build: lastBuild(), failures: failed.slice(-MAX_FAILURES) });
  },
};
