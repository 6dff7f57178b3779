// Texts of errors that arose below a dispatcher (interface, "Error body").

/** `<partial: 1 width: 3> | 500 | text` */
export function partialError(
  partition: number,
  width: number,
  status: number,
  text: string,
): string {
  return `<partial: ${partition} width: ${width}> | ${status} | ${text}`;
}

/** The text of the error that a back-end answered with, `?` if there is none. */
export function backEndErrorText(body: Uint8Array): string {
  return body.length === 0 ? "?" : "";
}
