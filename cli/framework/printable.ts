// Makes untrusted text printable: files and servers must not control the terminal.

/** Escapes control characters except line ends; JSON keeps its meaning. */
export function escapeControlChars(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, (character) => {
    const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${digits}`;
  });
}
