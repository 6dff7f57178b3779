// All kinds of changes in a report, with their severity. The report, its documentation (RULES.md)
// and the tests derive from this table. Severity is judged for a client that was generated before
// the change.

export type Severity = "breaking" | "compatible" | "docs";

export interface Rule {
  readonly severity: Severity;
  /** Predicate of the sentence, following the name of the subject. */
  readonly says: string;
  /** Reason for the severity. */
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
    says: "also responds below a prefix",
    because: "All other paths stay.",
  },
  "service-renamed": {
    severity: "docs",
    says: "has another name",
    because: "Clients neither send nor read it.",
  },
  "plugin-removed": {
    severity: "breaking",
    says: "is gone",
    because: "Clients get 404. A rename counts as removal plus addition.",
  },
  "plugin-added": {
    severity: "compatible",
    says: "is new",
    because: "No client calls it yet.",
  },
  "plugin-roles": {
    severity: "compatible",
    says: "is executed in other roles",
    because:
      "Parameters and result are compared separately; in the envelope, `partitions` changes.",
  },
  "plugin-readonly": {
    severity: "compatible",
    says: "is safe to repeat now",
    because: "Former clients retry less often than they could.",
  },
  "plugin-not-readonly": {
    severity: "compatible",
    says: "is no longer safe to repeat",
    because:
      "No call fails. Former clients still retry it after a failure: regenerate them before it " +
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
    because: "It responds as before.",
  },
  "plugin-restored": {
    severity: "docs",
    says: "is no longer deprecated",
    because: "It responds as before.",
  },
  "plugin-errors": {
    severity: "docs",
    says: "documents other errors",
    because: "Documented errors are information, not a contract.",
  },
  "error-added": {
    severity: "compatible",
    says: "is now a declared error",
    because: "Former clients receive it like any error of the plugin.",
  },
  "error-removed": {
    severity: "compatible",
    says: "is no longer a declared error",
    because: "Clients that handle it receive it like any error of the plugin, or not at all.",
  },
  "error-status": {
    severity: "breaking",
    says: "is answered with another status",
    because: "Former clients identify the error by its name and status.",
  },
  "error-details": {
    severity: "breaking",
    says: "carries what it did not",
    because: "Clients may read details of an unknown type.",
  },
  "plugin-text": {
    severity: "docs",
    says: "is described otherwise",
    because: "Texts change no call.",
  },
  "parameters-closed": {
    severity: "breaking",
    says: "takes only the parameters that it lists now",
    because: "Former clients may send unlisted parameters, which no longer have an effect.",
  },
  "parameters-open": {
    severity: "compatible",
    says: "takes parameters that it does not list",
    because: "Former clients send listed ones.",
  },
  "parameter-removed": {
    severity: "breaking",
    says: "is no longer accepted",
    because:
      "The server ignores unknown parameters, so the call succeeds without the intended " +
      "effect, which is worse than an error. A rename counts as removal plus addition.",
  },
  "parameter-unlisted": {
    severity: "compatible",
    says: "is no longer listed",
    because: "The plugin accepts unlisted parameters, such as the ones of a remote engine.",
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
    because: "All values of former clients have the new type, and are sent in the same form.",
  },
  "parameter-form": {
    severity: "breaking",
    says: "travels in another form",
    because: "The text that former clients send would be misread or rejected.",
  },
  "parameter-as-text": {
    severity: "compatible",
    says: "takes any text instead of numbers",
    because:
      "Former clients send numbers as digits, which are text too. Callers must change when " +
      "their client is regenerated.",
  },
  "parameter-default": {
    severity: "compatible",
    says: "has another default",
    because:
      "No call fails and every response keeps its type; but calls that omit it get another " +
      "result, so that it is more than a change of texts.",
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
      "A value, a stream, an HttpResponse, and a PluginResponse (the list that dispatchers " +
      "merge) have nothing in common that a client could read.",
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
    says: "has more members, or fewer values",
    because:
      "Every response has the former type. Clients ignore properties of objects that their type " +
      "does not name.",
  },
  "result-text": {
    severity: "docs",
    says: "is described otherwise",
    because: "Texts change no response.",
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof table;
export const RULES: Readonly<Record<RuleName, Rule>> = table;
