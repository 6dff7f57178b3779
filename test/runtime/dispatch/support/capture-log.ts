// Captures the log lines that this thread writes during a call.

/** The lines on standard error. */
export function captureLog(act: () => void): string[] {
  const { write } = process.stderr;
  let text = "";
  process.stderr.write = (chunk: string | Uint8Array): boolean => {
    text += chunk.toString();
    return true;
  };
  try {
    act();
  } finally {
    process.stderr.write = write;
  }
  return text.split("\n").filter((line) => line !== "");
}
