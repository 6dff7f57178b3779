// Validates an OpenAPI document against the standard's schema, and its references.

import { isDeepStrictEqual } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as assert from "uvu/assert";

/** Shared: compiling the schemas of the standards is slow. */
const validator = new Validator();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly license?: object };
  readonly security: readonly object[];
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface DocumentOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [word: string]: unknown;
}

export function operationsIn(document: Document): readonly DocumentOperation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

/** @param label names the document in a failure */
export async function validateDocument(document: object, label = ""): Promise<Document> {
  const copy = JSON.parse(JSON.stringify(document));
  assert.ok(isDeepStrictEqual(copy, document), `${label}: JSON does not preserve the document`);
  const { valid, errors } = await validator.validate(copy);
  assert.ok(valid, `${label}: ${JSON.stringify(errors, null, 2)}`);
  const { schemas } = (document as Document).components;
  for (const schema of [...Object.values(schemas!), ...findSchemas(document)]) {
    const text = `${label}: ${JSON.stringify(schema)}`;
    assert.ok(ajv.validateSchema(schema as object), `${text}: ${ajv.errorsText()}`);
  }
  for (const reference of findReferences(document)) {
    assert.ok(reference.startsWith("#/"), `${label}: ${reference} leads outside`);
    assert.ok(
      resolveReference(document, reference) !== undefined,
      `${label}: ${reference} leads nowhere`,
    );
  }
  const ids = operationsIn(document as Document).map(({ operationId }) => operationId);
  assert.is(new Set(ids).size, ids.length, `${label}: operationId is unique in ${ids}`);
  return document as Document;
}

/** Each `schema` of a parameter, a body or a response, which the validator accepts unchecked. */
function findSchemas(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    return key === "schema" && typeof part === "object" ? [part] : findSchemas(part);
  });
}

function findReferences(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "$ref" && typeof part === "string" ? [part] : findReferences(part),
  );
}

function resolveReference(document: object, reference: string): unknown {
  const steps = reference.slice("#/".length).split("/");
  return steps.reduce<unknown>(
    (part, step) => (part as Record<string, unknown> | undefined)?.[step],
    document,
  );
}
