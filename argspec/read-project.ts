// Reads the project information of an argspec, which becomes part of documents and packages.

import type { OauthFlows, SecurityScheme } from "../runtime/base/security-scheme.js";
import type { ArgspecService } from "./argspec.js";
import type { UntrustedJson } from "./untrusted-json.js";

type ProjectFacts = Omit<ArgspecService, "name" | "prefix">;

const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u;
const URL = /^https?:\/\/[^\s?#]{1,2000}$/;
const WORD = /^[\w.~+-]{1,100}$/;
/** Name of an OAuth 2 scope. */
const SCOPE = /^[!#-[\]-~]{1,100}$/;
/** Maximum number of servers. */
const MAX_SERVERS = 100;

export function readProject(service: UntrustedJson): ProjectFacts {
  const [version, license] = [service.optional("version"), service.optional("license")];
  const [servers, security] = [service.optional("servers"), service.optional("security")];
  const isAuthenticated = service.optional("authenticated")?.boolean() === true;
  return {
    ...(isAuthenticated && { authenticated: true as const }),
    ...(version && { version: version.matching(LINE, "a text of one line") }),
    ...(license && { license: license.matching(LINE, "a text of one line") }),
    ...(servers && {
      servers: servers.items(MAX_SERVERS).map((url) => url.matching(URL, "a URL")),
    }),
    ...(security && { security: readSchemes(security) }),
  };
}

function readSchemes(security: UntrustedJson): Record<string, SecurityScheme> {
  const schemes = security.members().map(([name, value]) => {
    if (!/^[\w.-]{1,100}$/.test(name)) throw value.fault("expected a name of letters and digits");
    return [name, readScheme(value)] as const;
  });
  return Object.fromEntries(schemes);
}

function readScheme(value: UntrustedJson): SecurityScheme {
  const type = value.member("type");
  switch (type.text()) {
    case "http":
      return { type: "http", scheme: value.member("scheme").matching(WORD, "a word") };
    case "apiKey": {
      const location = value
        .member("in")
        .matching(/^(?:header|query|cookie)$/, "header, query or cookie");
      const name = value.member("name").matching(WORD, "a word");
      return { type: "apiKey", in: location as "header" | "query" | "cookie", name };
    }
    case "oauth2":
      return { type: "oauth2", flows: readFlows(value.member("flows")) };
    case "openIdConnect": {
      const openIdConnectUrl = value.member("openIdConnectUrl").matching(URL, "a URL");
      return { type: "openIdConnect", openIdConnectUrl };
    }
    case "mutualTLS":
      return { type: "mutualTLS" };
    default:
      throw type.fault("expected http, apiKey, oauth2, openIdConnect or mutualTLS");
  }
}

function readFlows(flows: UntrustedJson): OauthFlows {
  const code = flows.optional("authorizationCode");
  const machine = flows.optional("clientCredentials");
  if (!code && !machine) throw flows.fault("expected authorizationCode or clientCredentials");
  const url = (flow: UntrustedJson, key: string) => flow.member(key).matching(URL, "a URL");
  const common = (flow: UntrustedJson) => ({
    tokenUrl: url(flow, "tokenUrl"),
    scopes: readScopes(flow.member("scopes")),
  });
  return {
    ...(code && {
      authorizationCode: { authorizationUrl: url(code, "authorizationUrl"), ...common(code) },
    }),
    ...(machine && { clientCredentials: common(machine) }),
  };
}

function readScopes(scopes: UntrustedJson): Record<string, string> {
  const read = scopes.members().map(([name, value]) => {
    if (!SCOPE.test(name)) throw value.fault("expected a scope name");
    return [name, value.matching(LINE, "a text of one line")] as const;
  });
  return Object.fromEntries(read);
}
