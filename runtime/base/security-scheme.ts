// Authentication by a gateway, for the setting `api.security` and the argspec.

/** Scopes by name, with what each one allows. */
interface OauthFlow {
  readonly tokenUrl: string;
  readonly scopes: Readonly<Record<string, string>>;
}

/** One or both flows; OAuth 2.1 has no others. */
export interface OauthFlows {
  readonly authorizationCode?: OauthFlow & { readonly authorizationUrl: string };
  readonly clientCredentials?: OauthFlow;
}

/** A security scheme, as in OpenAPI. */
export type SecurityScheme =
  | { readonly type: "http"; readonly scheme: string }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
    }
  | { readonly type: "oauth2"; readonly flows: OauthFlows }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
  | { readonly type: "mutualTLS" };
