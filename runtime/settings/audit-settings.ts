// Row of the table of settings: the audit log (docs/guides/monitoring.md).

import { setting } from "./setting.js";
import { file, optional } from "./setting-types.js";

export const AUDIT_SETTINGS = {
  /** File of the audit log, or "log": the server log. Null (default): there is none. */
  audit: setting({
    key: "logging.audit",
    type: optional(file),
    default: [null, "none"],
    option: "audit",
    library: "start",
    help: "file of graph changes, admin operations and refusals; `log`: the server log",
    optionHelp: "file of changes, operations and refusals; log: the server log",
  }),
};
