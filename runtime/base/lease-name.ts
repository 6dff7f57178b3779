// Names of the Kubernetes Leases of groups of instances.

/** Maximum length of each part of a name. */
const MAX_PART = 63;

/** Returns a name that Kubernetes accepts. Names of different groups may be equal. */
export function leaseName(prefix: string, group: string): string {
  return `${prefix}-${leasePart(group)}`;
}

/** Returns the letters, digits and hyphens of a text. */
export function leasePart(text: string): string {
  const part = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return part.slice(0, MAX_PART).replaceAll(/^-+|-+$/g, "") || "x";
}
