// Names of the Leases that Kubernetes keeps for groups of instances.

/** Maximum length of the prefix, and of what follows it. */
const MAX_PART = 63;

/** Returns a name that Kubernetes accepts; different groups may get the same. */
export function leaseName(prefix: string, group: string): string {
  return `${prefix}-${leasePart(group)}`;
}

/** Returns the letters, digits and hyphens of a text. */
export function leasePart(text: string): string {
  const part = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return part.slice(0, MAX_PART).replaceAll(/^-+|-+$/g, "") || "x";
}
