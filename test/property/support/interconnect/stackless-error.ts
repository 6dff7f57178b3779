// Errors of a virtual world have no stack, which would cost more than all the rest: many files are
// missing, and many connections refused.

export function withoutStack(message: string, fields: object): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return Object.assign(new Error(message), fields);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
