// All kinds of changes in a report, and their severity. The report, its documentation (RULES.md)
// and the tests derive from this table. The measure is a client generated before the change.

export type Severity = "breaking" | "compatible" | "docs";

export interface Rule {
  readonly severity: Severity;
  /** What happened, behind the name of what it happened to. */
  readonly says: string;
  /** Why it is as grave as that. */
  readonly because: string;
}

const table = {
  "prefix-removed": {
    severity: "breaking",
    says: "no longer responds under its former prefix",
    because: "Paths below the former prefix are not found.",
  },
  "prefix-added": {
    severity: "compatible",
    says: "also answers below a prefix",
    because: "All other paths stay.",
  },
  "service-renamed": {
    severity: "docs",
    says: "has another name",
    because: "Nothing that clients send or read holds it.",
  },
  "plugin-removed": {
    severity: "breaking",
    says: "is gone",
    because: "Clients get 404. A rename counts as removal plus addition.",
  },
  "plugin-added": {
    severity: "compatible",
    says: "is new",
    because: "Nobody calls it yet.",
  },
  "plugin-roles": {
    severity: "compatible",
    says: "is executed in other roles",
    because:
      "Parameters and result are compared by themselves; of the envelope `partitions` changes.",
  },
  "plugin-readonly": {
    severity: "compatible",
    says: "is safe to repeat now",
    because: "Clients that do not know it repeat less than they could.",
  },
  "plugin-not-readonly": {
    severity: "compatible",
    says: "is no longer safe to repeat",
    because:
      "No call fails. Former clients still repeat it after a fault, so make them anew before it " +
      "changes anything that must not happen twice.",
  },
  "plugin-graph": {
    severity: "docs",
    says: "works on another graph",
    because: "Clients never name it.",
  },
  "plugin-deprecated": {
    severity: "docs",
    says: "is deprecated",
    because: "It answers as before.",
  },
  "plugin-restored": {
    severity: "docs",
    says: "is no longer deprecated",
    because: "It answers as before.",
  },
  "plugin-errors": {
    severity: "docs",
    says: "documents other errors",
    because: "What a plugin throws is told, not promised.",
  },
  "error-added": {
    severity: "compatible",
    says: "is a kind of error that is told by name now",
    because: "Former clients meet it as any error of the plugin.",
  },
  "error-removed": {
    severity: "compatible",
    says: "is no longer told by name",
    because: "Clients that wait for it meet it as any error of the plugin, or not at all.",
  },
  "error-status": {
    severity: "breaking",
    says: "is answered with another status",
    because: "Former clients know the error by its name and status, and by nothing else.",
  },
  "error-details": {
    severity: "breaking",
    says: "carries what it did not",
    because: "What clients read of it may be of no type that they know.",
  },
  "plugin-text": {
    severity: "docs",
    says: "is described otherwise",
    because: "Texts change no call.",
  },
  "parameters-closed": {
    severity: "breaking",
    says: "takes only the parameters that it lists now",
    because: "Nobody knows what former clients send; what is not listed has no effect any more.",
  },
  "parameters-open": {
    severity: "compatible",
    says: "takes parameters that it does not list",
    because: "Former clients send listed ones.",
  },
  "parameter-removed": {
    severity: "breaking",
    says: "is no longer taken",
    because:
      "The server ignores unknown parameters, so the call succeeds without the intended " +
      "effect, which is worse than an error. A rename counts as removal plus addition.",
  },
  "parameter-unlisted": {
    severity: "compatible",
    says: "is no longer listed",
    because:
      "The plugin takes parameters that it does not list, such as those of an engine elsewhere.",
  },
  "parameter-added": {
    severity: "compatible",
    says: "is new and optional",
    because: "Former clients leave it out.",
  },
  "parameter-added-required": {
    severity: "breaking",
    says: "is new and required",
    because: "Former clients leave it out and are answered with 400.",
  },
  "parameter-required": {
    severity: "breaking",
    says: "is required now",
    because: "Clients that leave it out are answered with 400.",
  },
  "parameter-optional": {
    severity: "compatible",
    says: "is optional now",
    because: "Former clients give it.",
  },
  "parameter-narrowed": {
    severity: "breaking",
    says: "takes fewer values",
    because:
      "Values that a former client may send are rejected or ignored: the former type is not " +
      "assignable to the new one. A property that is no longer declared counts as rejected.",
  },
  "parameter-widened": {
    severity: "compatible",
    says: "takes more values",
    because: "All that former clients send is of the present type, and travels in the same form.",
  },
  "parameter-form": {
    severity: "breaking",
    says: "travels in another form",
    because: "The text that former clients send would be read as something else, or not at all.",
  },
  "parameter-as-text": {
    severity: "compatible",
    says: "takes any text instead of numbers",
    because:
      "Former clients send numbers as their digits, which are text too. Callers must change when " +
      "their client is made anew.",
  },
  "parameter-default": {
    severity: "compatible",
    says: "has another default",
    because:
      "No call fails and every answer keeps its type; but those who leave it out are answered " +
      "otherwise, so that it is more than a text.",
  },
  "parameter-text": {
    severity: "docs",
    says: "is described otherwise",
    because: "Texts change no call.",
  },
  "result-kind": {
    severity: "breaking",
    says: "is of another kind",
    because:
      "A value, a PluginResponse, which is the list that dispatchers merge, and what comes piece " +
      "by piece have nothing in common for a client to read.",
  },
  "result-known": {
    severity: "compatible",
    says: "is always a PluginResponse now",
    because: "Former clients expect anything.",
  },
  "result-widened": {
    severity: "breaking",
    says: "can be what it could not",
    because:
      "A response may have a type that former clients do not know: the new type is not " +
      "assignable to the former one.",
  },
  "result-narrowed": {
    severity: "compatible",
    says: "tells more, or can be less",
    because:
      "Every answer is of the former type. Clients ignore properties of objects that their type " +
      "does not name.",
  },
  "result-text": {
    severity: "docs",
    says: "is described otherwise",
    because: "Texts change no answer.",
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof table;
export const RULES: Readonly<Record<RuleName, Rule>> = table;
