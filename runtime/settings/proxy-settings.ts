// Rows of the table of settings: the proxies in front of a server (docs/guides/securing.md).

import { setting } from "./setting.js";
import { booleanSetting, networks } from "./setting-types.js";

export const PROXY_SETTINGS = {
  /** Networks of proxies that name the client of a request. Default none. */
  proxies: setting({
    key: "http.proxies",
    type: networks,
    default: [[]],
    option: "proxies",
    library: "start",
    help: "networks of proxies whose `Forwarded` or `X-Forwarded-For` names the client",
    optionHelp: "networks of proxies whose Forwarded or X-Forwarded-For names the client",
  }),
  /** Whether these proxies use the PROXY protocol on the main port. */
  proxyProtocol: setting({
    key: "http.proxyProtocol",
    type: booleanSetting(),
    default: [false],
    option: "proxy-protocol",
    library: "start",
    help: "require the PROXY protocol (v1, v2) of `http.proxies` on the main port",
    optionHelp: "require the PROXY protocol (v1, v2) of --proxies on the main port",
  }),
};
