// Reads what an argspec says of the project as a whole. It ends up in documents and packages.

import type { ArgspecService, SecurityScheme } from "./argspec.js";
import type { Untrusted } from "./untrusted.js";

type ProjectFacts = Omit<ArgspecService, "name" | "prefix">;

const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u;
const URL = /^https?:\/\/[^\s?#]{1,2000}$/;
const WORD = /^[\w.~+-]{1,100}$/;
const MOST = 100;

export function readProject(service: Untrusted): ProjectFacts {
  const [version, license] = [service.optional("version"), service.optional("license")];
  const [servers, security] = [service.optional("servers"), service.optional("security")];
  return {
    ...(version && { version: version.matching(LINE, "a text of one line") }),
    ...(license && { license: license.matching(LINE, "a text of one line") }),
    ...(servers && { servers: servers.items(MOST).map((url) => url.matching(URL, "a URL")) }),
    ...(security && { security: readSchemes(security) }),
  };
}

function readSchemes(security: Untrusted): Record<string, SecurityScheme> {
  const schemes = security.members().map(([name, value]) => {
    if (!/^[\w.-]{1,100}$/.test(name)) throw value.fault("under a name of letters and digits");
    return [name, readScheme(value)] as const;
  });
  return Object.fromEntries(schemes);
}

function readScheme(value: Untrusted): SecurityScheme {
  const type = value.member("type");
  switch (type.text()) {
    case "http":
      return { type: "http", scheme: value.member("scheme").matching(WORD, "a word") };
    case "apiKey": {
      const place = value.member("in").matching(/^(?:header|query|cookie)$/, "a place");
      const name = value.member("name").matching(WORD, "a word");
      return { type: "apiKey", in: place as "header" | "query" | "cookie", name };
    }
    case "openIdConnect": {
      const openIdConnectUrl = value.member("openIdConnectUrl").matching(URL, "a URL");
      return { type: "openIdConnect", openIdConnectUrl };
    }
    case "mutualTLS":
      return { type: "mutualTLS" };
    default:
      throw type.fault("http, apiKey, openIdConnect or mutualTLS");
  }
}
