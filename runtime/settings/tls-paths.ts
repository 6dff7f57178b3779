// Settings that name TLS files. Only the server can validate their content.

import type { TlsPaths } from "../base/tls-paths.js";
import { nullable, object, type Rule, string, withDefault } from "./rules.js";
import type { SettingType } from "./setting-types.js";

/** Accepted values of `http.tls`. */
export interface TlsConfig {
  /** File with the certificate, followed by intermediate certificates. */
  readonly cert: string;
  readonly key: string;
  /** File with CA certificates; clients must present a certificate signed by one of them. */
  readonly ca?: string | null | undefined;
}

const path = string("a file path", /^(?=.*\S)[^\p{Cc}]+$/u);

const tlsRule: Rule<TlsPaths> = object({
  cert: path,
  key: path,
  ca: withDefault(nullable(path), null),
});

/** As text: `cert.pem,key.pem`, optionally followed by a comma and the CA file. */
export const tlsPaths: SettingType<TlsPaths | null, TlsConfig | null> = {
  rule: nullable(tlsRule),
  expected: "files of certificate and key, and of the CA of clients, with commas between them",
  placeholder: "<cert,key[,ca]>",
  read(text) {
    const [cert, key, ca, ...rest] = text.split(",").map((file) => file.trim());
    return rest.length > 0 ? text : { cert, key, ...(ca === undefined ? {} : { ca }) };
  },
};
