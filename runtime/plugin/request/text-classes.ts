// Arguments that travel as text and arrive as objects. Their format has been checked.

import { ParameterError } from "../../base/errors.js";
import { truncateForMessage } from "../contract/truncate-for-message.js";

export function toDate(name: string, value: unknown): Date | null {
  if (value === null) return null;
  const date = new Date(String(value));
  if (Number.isNaN(date.getTime())) throw notA("a date and time", name, value);
  return date;
}

export function toURL(name: string, value: unknown): URL | null {
  if (value === null) return null;
  try {
    return new URL(String(value));
  } catch {
    throw notA("a URL", name, value);
  }
}

function notA(what: string, name: string, value: unknown): ParameterError {
  const text = truncateForMessage(String(value));
  return new ParameterError("ValueError", `${name}=${text} (${what} is required)`);
}
