// Rows of the table of settings: how bytes go to clients and come from them; see table.ts, of which
// they are a part.

import { setting } from "./setting.js";
import { oneOf } from "./setting-types.js";
import { tlsPaths } from "./tls-paths.js";

export const TRANSPORT_SETTINGS = {
  /** `net` (default) is exact; `uws` needs hyper-express; `auto` takes it where it loads. */
  transport: setting({
    key: "http.transport",
    type: oneOf("auto", "net", "uws"),
    default: ["net"],
    option: "transport",
    library: "start",
    help: "HTTP implementation: net is exact, uws cuts values; auto: uws where it loads",
  }),
  /** PEM files, relative to the project; null (default): connections are not encrypted. */
  tls: setting({
    key: "http.tls",
    type: tlsPaths,
    default: [null],
    option: "tls",
    library: "start",
    help:
      "PEM files `{ cert, key, ca }` that encrypt both ports; `ca`: clients need a certificate " +
      "of it; read anew when they change",
    optionHelp: "PEM files of certificate and key, and of the CA of clients, for both ports",
  }),
  /** Texts of 1 KiB and more are compressed: "off", "public" (default), "all". */
  compression: setting({
    key: "http.compression",
    type: oneOf("off", "public", "all"),
    default: ["public"],
    option: "compression",
    library: "start",
    help:
      "files and answers leave compressed where clients take it; public: but not the answers to " +
      "requests with credentials; all: these, too",
    optionHelp: "compress files and answers, those to requests with credentials only with all",
  }),
};
