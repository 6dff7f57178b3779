// Validates arguments with schemas, between conversion and call: each argument with a schema is
// replaced by the schema's output. Schemas are code of the project; their input and their messages
// contain untrusted data.

import { brandClass } from "../../base/brand.js";
import { ParameterError, SvcError } from "../../base/errors.js";
import { isThenable } from "../../base/thenable.js";
import { issuesText, type StandardSchema } from "../response/schema-issues.js";

/** Position of a schema in the arguments, as emitted by the compiler. */
export interface ArgumentSchema {
  /** Index of the argument. */
  readonly at: number;
  readonly name: string;
  /** Property names; null for each element of an array. */
  readonly path: readonly (string | null)[];
  /** The schema also validates an absent value. */
  readonly acceptsAbsence: boolean;
  readonly schema: StandardSchema;
}

type Call = (...args: unknown[]) => unknown;

/** A call that waits for an asynchronous schema. */
export class DeferredCall {
  constructor(
    /** Settles when all schemas have accepted. */
    readonly checked: Promise<void>,
    readonly call: () => unknown,
    /** Called when the request is over, if `checked` has settled without an error. */
    readonly release: (() => void) | null = null,
  ) {}
}

export const isDeferredCall = brandClass(DeferredCall, "DeferredCall");

/** One value to validate, and where its output is stored. */
interface ValidatedValue {
  readonly holder: Record<PropertyKey, unknown>;
  readonly key: PropertyKey;
  readonly name: string;
  readonly schema: StandardSchema;
}

/**
 * Calls a plugin with validated arguments.
 * @returns its result, or a DeferredCall where a schema is asynchronous
 * @throws ParameterError for a value that a schema rejects
 */
export function callValidated(
  args: unknown[],
  schemas: readonly ArgumentSchema[],
  call: Call,
): unknown {
  for (let at = 0; at < schemas.length; at++) {
    const pending = validatePlace(args, schemas[at]!);
    if (pending !== null) {
      const checked = pending.then(() => validateRest(args, schemas, at + 1));
      return new DeferredCall(checked, () => call(...args));
    }
  }
  return call(...args);
}

async function validateRest(
  args: unknown[],
  schemas: readonly ArgumentSchema[],
  from: number,
): Promise<void> {
  for (const schema of schemas.slice(from)) await validatePlace(args, schema);
}

/** Returns null if completed synchronously. */
function validatePlace(args: unknown[], argument: ArgumentSchema): Promise<void> | null {
  const { at, name, path, acceptsAbsence, schema } = argument;
  const holder = args as unknown as Record<PropertyKey, unknown>;
  if (path.length > 0) return validateAll(targetsOf(args[at], argument, 0, name));
  if (args[at] === undefined && !acceptsAbsence) return null;
  return validate({ holder, key: at, name, schema });
}

function validateAll(targets: readonly ValidatedValue[], from = 0): Promise<void> | null {
  for (let at = from; at < targets.length; at++) {
    const pending = validate(targets[at]!);
    if (pending !== null) return pending.then(() => validateAll(targets, at + 1) ?? undefined);
  }
  return null;
}

/** Returns the values at a path; absent optional values are omitted. */
function targetsOf(
  value: unknown,
  place: ArgumentSchema,
  depth: number,
  name: string,
): ValidatedValue[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<PropertyKey, unknown>;
  const step = place.path[depth]!;
  const keys = step === null ? [...(value as unknown[]).keys()] : [step];
  const isLast = depth === place.path.length - 1;
  return keys.flatMap((key): ValidatedValue[] => {
    const isPresent = Object.hasOwn(holder, key);
    const inner = typeof key === "number" ? `${name}[${key}]` : `${name}.${key}`;
    if (!isLast) return isPresent ? targetsOf(holder[key], place, depth + 1, inner) : [];
    if (!isPresent && !place.acceptsAbsence) return [];
    return [{ holder, key, name: inner, schema: place.schema }];
  });
}

function validate(target: ValidatedValue): Promise<void> | null {
  const { holder, key, schema } = target;
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
  const result: unknown = schema["~standard"].validate(value);
  if (isThenable(result)) return Promise.resolve(result).then((later) => take(target, later));
  take(target, result);
  return null;
}

function take({ holder, key, name }: ValidatedValue, result: unknown): void {
  if (typeof result !== "object" || result === null) throw invalidResult(name);
  const { issues, value } = result as { readonly issues?: unknown; readonly value?: unknown };
  if (issues === undefined) {
    if (value !== undefined || Object.hasOwn(holder, key)) holder[key] = value;
    return;
  }
  if (!Array.isArray(issues)) throw invalidResult(name);
  throw new ParameterError("TypeError", issuesText(name, issues));
}

function invalidResult(name: string): SvcError {
  const message = `the schema of ${name} returned neither a value nor issues`;
  return new SvcError("SVC3290", message);
}
