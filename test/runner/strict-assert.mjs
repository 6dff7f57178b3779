// The assertions of uvu, whose `throws` compares nothing with a text or an error class: it takes a
// text for its own message, and calls the class, whose result is true.

import { instance, match, throws as throwsAny } from "uvu/assert";

export * from "uvu/assert";

/** @param expected part of the error's message, its class, or what uvu takes */
export function throws(run, expected, message) {
  const isClass = Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error;
  if (typeof expected !== "string" && !isClass) return throwsAny(run, expected, message);
  throwsAny(run, (error) => {
    if (isClass) instance(error, expected, message);
    else match(error.message, expected, message);
    return true;
  });
}
