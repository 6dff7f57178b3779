// Text that a client sent, as error messages show it: bounded, so that an answer cannot be made
// large by what was asked.

const MAX_ECHO_LENGTH = 100;

export function truncateForMessage(text: string): string {
  return text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text;
}
