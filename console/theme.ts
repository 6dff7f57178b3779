// Light or dark theme: that of the system, unless the user chooses one, which is stored.

import { signal } from "@preact/signals";

const KEY = "svc-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** The current theme. */
export const theme = signal<"light" | "dark">(dark.matches ? "dark" : "light");

function apply(chosen: string | null): void {
  const { dataset } = document.documentElement;
  if (chosen === "light" || chosen === "dark") dataset.theme = chosen;
  else delete dataset.theme;
  theme.value = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

/** From the first paint on, and whenever the system changes. */
export function followTheme(): void {
  apply(localStorage.getItem(KEY));
  dark.addEventListener("change", () => apply(localStorage.getItem(KEY)));
}

export function switchTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, next);
  apply(next);
}
