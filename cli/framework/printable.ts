// Text from elsewhere as it is shown: files and servers must not steer the terminal.

/** Escapes control characters; lines stay lines, and JSON keeps its meaning. */
export function escapeControlChars(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, (character) => {
    const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${digits}`;
  });
}
