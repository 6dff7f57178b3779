// Rows of the table of settings: transport, encryption and compression.

import { setting } from "./setting.js";
import { enumSetting } from "./setting-types.js";
import { tlsPaths } from "./tls-paths.js";

export const TRANSPORT_SETTINGS = {
  /** `net` (default) conforms exactly; `uws` requires hyper-express; `auto`: `uws` if it loads. */
  transport: setting({
    key: "http.transport",
    type: enumSetting("auto", "net", "uws"),
    default: ["net"],
    option: "transport",
    library: "start",
    help: "HTTP transport: net (conformant), uws (alters some values), auto (uws if found)",
  }),
  /** PEM files, relative to the project; null (default): connections are not encrypted. */
  tls: setting({
    key: "http.tls",
    type: tlsPaths,
    default: [null],
    option: "tls",
    library: "start",
    help: "TLS files `{ cert, key, ca }`, reloaded on change; `ca`: require client certs",
    optionHelp: "TLS certificate, key and optional client CA (PEM)",
  }),
  /** Compression of texts from 1 KiB: "off", "public" (default), "all". */
  compression: setting({
    key: "http.compression",
    type: enumSetting("off", "public", "all"),
    default: ["public"],
    option: "compression",
    library: "start",
    help: "compress responses; public: except for requests with credentials",
    optionHelp: "compress responses; public: not for requests with credentials",
  }),
};
