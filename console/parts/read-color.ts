// Colors of the style sheet for canvases, which do not know custom properties.

const probe = document.createElement("span");
probe.hidden = true;

/** Returns a color such as `--text` in the present theme. */
export function readColor(name: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}
