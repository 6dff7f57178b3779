// The token that tried plugins are called with. In the memory of the tab only: neither the address
// nor the storage of the browser contains it.

import { signal } from "@preact/signals";

export const callToken = signal("");

export function tokenFields(): Readonly<Record<string, string>> {
  return callToken.value === "" ? {} : { authorization: `Bearer ${callToken.value}` };
}
