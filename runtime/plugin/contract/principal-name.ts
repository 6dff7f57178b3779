// The name of a principal in logs and limits.

/** Members that identify a principal; the first one present is taken. */
const MEMBERS = ["sub", "id", "name"] as const;

/** Returns the identifying member of a principal; null if it has none. */
export function principalName(principal: object): string | null {
  const values = MEMBERS.map((member) => (principal as Record<string, unknown>)[member]);
  const name = values.find((value) => typeof value === "string" || typeof value === "number");
  return name === undefined ? null : String(name);
}
