// Truncates client text in error messages, so that the response stays small.

const MAX_ECHO_LENGTH = 100;

export function truncateForMessage(text: string): string {
  return text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text;
}
