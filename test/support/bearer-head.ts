// The head of a request with given header fields.

import { ExchangeHead } from "../../runtime/http/auth/exchange-head.js";
import { HeaderFields } from "../../runtime/http/header-fields.js";

/** @param lines header lines, each with CR LF */
export function headWith(lines: string): ExchangeHead {
  return new ExchangeHead({ headers: new HeaderFields(lines) } as never);
}

export function bearer(token: string): ExchangeHead {
  return headWith(`Authorization: Bearer ${token}\r\n`);
}
