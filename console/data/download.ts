// Downloads content as a file; it never opens as a page.

const KEEP_MS = 10_000;

export function downloadFile(content: Blob | string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Wait until the browser has read it.
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}
