// All kinds of changes in a report, with their severity. The report, its documentation (RULES.md)
// and the tests derive from this table. Severity is judged for a client that was generated before
// the change.

export type Severity = "breaking" | "compatible" | "docs";

export interface Rule {
  readonly severity: Severity;
  /** Completes a sentence that begins with the name of the plugin or parameter. */
  readonly predicate: string;
  /** Reason for the severity. */
  readonly reason: string;
}

const table = {
  "prefix-removed": {
    severity: "breaking",
    predicate: "no longer responds under its previous prefix",
    reason: "Paths below the previous prefix are not found.",
  },
  "prefix-added": {
    severity: "compatible",
    predicate: "also responds below a prefix",
    reason: "All other paths stay.",
  },
  "service-renamed": {
    severity: "docs",
    predicate: "has another name",
    reason: "Clients neither send nor read it.",
  },
  "plugin-removed": {
    severity: "breaking",
    predicate: "is gone",
    reason: "Clients get 404. A rename counts as removal plus addition.",
  },
  "plugin-added": {
    severity: "compatible",
    predicate: "is new",
    reason: "No client calls it yet.",
  },
  "plugin-roles": {
    severity: "compatible",
    predicate: "has other roles",
    reason: "Parameters and result are compared separately; in the envelope, `partitions` changes.",
  },
  "plugin-readonly": {
    severity: "compatible",
    predicate: "is now retryable",
    reason: "Former clients retry less often than they could.",
  },
  "plugin-not-readonly": {
    severity: "compatible",
    predicate: "is no longer retryable",
    reason:
      "No call fails. Former clients still retry it after a failure: regenerate them before it " +
      "changes anything that must not happen twice.",
  },
  "plugin-graph": {
    severity: "docs",
    predicate: "uses another graph",
    reason: "Clients do not send its name.",
  },
  "plugin-deprecated": {
    severity: "docs",
    predicate: "is deprecated",
    reason: "It responds as before.",
  },
  "plugin-restored": {
    severity: "docs",
    predicate: "is no longer deprecated",
    reason: "It responds as before.",
  },
  "plugin-errors": {
    severity: "docs",
    predicate: "documents other errors",
    reason: "Documented errors are information, not a contract.",
  },
  "error-added": {
    severity: "compatible",
    predicate: "is now a declared error",
    reason: "Former clients receive it like any error of the plugin.",
  },
  "error-removed": {
    severity: "compatible",
    predicate: "is no longer a declared error",
    reason: "Clients that handle it receive it like any error of the plugin, or not at all.",
  },
  "error-status": {
    severity: "breaking",
    predicate: "has another status",
    reason: "Former clients identify the error by its name and status.",
  },
  "error-details": {
    severity: "breaking",
    predicate: "has details of another type",
    reason: "Clients may read details of an unknown type.",
  },
  "plugin-text": {
    severity: "docs",
    predicate: "has another description",
    reason: "Descriptions do not affect calls.",
  },
  "parameters-closed": {
    severity: "breaking",
    predicate: "accepts only listed parameters now",
    reason: "Former clients may send unlisted parameters, which no longer have an effect.",
  },
  "parameters-open": {
    severity: "compatible",
    predicate: "accepts unlisted parameters",
    reason: "Former clients send listed parameters only.",
  },
  "parameter-removed": {
    severity: "breaking",
    predicate: "is no longer accepted",
    reason:
      "The server ignores unknown parameters, so the call succeeds without the intended " +
      "effect, which is worse than an error. A rename counts as removal plus addition.",
  },
  "parameter-unlisted": {
    severity: "compatible",
    predicate: "is no longer listed",
    reason: "The plugin accepts unlisted parameters, such as the ones of a remote engine.",
  },
  "parameter-added": {
    severity: "compatible",
    predicate: "is new and optional",
    reason: "Former clients omit it.",
  },
  "parameter-added-required": {
    severity: "breaking",
    predicate: "is new and required",
    reason: "Former clients omit it and get 400.",
  },
  "parameter-required": {
    severity: "breaking",
    predicate: "is required now",
    reason: "Clients that omit it get 400.",
  },
  "parameter-optional": {
    severity: "compatible",
    predicate: "is optional now",
    reason: "Former clients continue to send it.",
  },
  "parameter-narrowed": {
    severity: "breaking",
    predicate: "accepts fewer values",
    reason:
      "Values that an existing client may send are rejected or ignored: the previous type is not " +
      "assignable to the new one. A property that is no longer declared counts as rejected.",
  },
  "parameter-widened": {
    severity: "compatible",
    predicate: "accepts more values",
    reason: "All values of existing clients have the new type and the same encoding.",
  },
  "parameter-form": {
    severity: "breaking",
    predicate: "has another encoding",
    reason: "The text that existing clients send would be misread or rejected.",
  },
  "parameter-as-text": {
    severity: "compatible",
    predicate: "accepts any text instead of numbers",
    reason:
      "Former clients send numbers as digits, which are text too. Callers must change when " +
      "their client is regenerated.",
  },
  "parameter-default": {
    severity: "compatible",
    predicate: "has another default",
    reason:
      "No call fails and every response keeps its type; but calls that omit it get another " +
      "result.",
  },
  "parameter-text": {
    severity: "docs",
    predicate: "has another description",
    reason: "Descriptions do not affect calls.",
  },
  "result-kind": {
    severity: "breaking",
    predicate: "has another kind",
    reason:
      "A value, a stream, an HttpResponse, and a PluginResponse (the list that dispatchers " +
      "merge) have nothing in common that a client could read.",
  },
  "result-known": {
    severity: "compatible",
    predicate: "is now always a PluginResponse",
    reason: "Former clients accept any value.",
  },
  "result-widened": {
    severity: "breaking",
    predicate: "can have values of other types",
    reason:
      "A response may have a type that existing clients do not know: the new type is not " +
      "assignable to the previous one.",
  },
  "result-narrowed": {
    severity: "compatible",
    predicate: "has more properties or fewer values",
    reason:
      "Every response has the previous type. Clients ignore properties of objects that their " +
      "type does not name.",
  },
  "result-text": {
    severity: "docs",
    predicate: "has another description",
    reason: "Descriptions do not affect responses.",
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof table;
export const RULES: Readonly<Record<RuleName, Rule>> = table;
