// Calls a server by its OpenAPI document, and validates requests and responses against its schemas.
// It knows the server only from the document.

import { Ajv2020 } from "ajv/dist/2020.js";
import * as assert from "uvu/assert";
import { type DecodedResponse, get } from "./server.js";

interface ParameterObject {
  readonly name: string;
  readonly in: "query" | "header";
  readonly required?: boolean;
  readonly schema?: { readonly const?: string };
  readonly content?: unknown;
  readonly $ref?: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

export interface OpenapiObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, ParameterObject>> };
}

/** Required header fields with a single value. */
function fixedHeaders({ parameters }: OperationObject): Record<string, string> {
  const fixed = parameters.filter((parameter) => parameter.in === "header" && parameter.required);
  return Object.fromEntries(fixed.map(({ name, schema }) => [name, schema!.const!]));
}

export interface Call {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged, or as JSON if the document says so. */
  readonly body?: unknown;
  /** Whether the document does not allow it. */
  readonly isWrong?: boolean;
}

const DOCUMENT = "openapi.json";

export class OpenapiCaller {
  readonly #ajv = new Ajv2020({ strict: false, formats: { "double-int": true, binary: true } });
  readonly #document: OpenapiObject;
  readonly #port: number;
  /** `<operationId> <status>` of all responses so far. */
  readonly calledLabels = new Set<string>();

  constructor(document: object, port: number) {
    this.#document = document as OpenapiObject;
    this.#port = port;
    this.#ajv.addSchema(document, DOCUMENT);
  }

  get operationIds(): readonly string[] {
    return this.#operations().map(([, , { operationId }]) => operationId);
  }

  /** Calls an operation; the response has one of the documented forms. */
  async call(operationId: string, call: Call = {}): Promise<DecodedResponse> {
    const entry = this.#operations().find(
      ([, , operation]) => operation.operationId === operationId,
    );
    assert.ok(entry, `the document has ${operationId}`);
    const [path, method, operation] = entry!;
    const pointer = `#/paths/${escaped(path)}/${method}`;
    const text = this.#queryText(pointer, operation, call);
    const body = operation.requestBody === undefined ? null : this.#body(pointer, operation, call);
    const fixed = fixedHeaders(operation);
    const headers = { ...fixed, ...body?.headers, ...call.headers };
    const init = { method: method.toUpperCase(), headers };
    const response = await get(this.#port, `${path}?${text}`, { ...init, ...body?.content });
    this.#checkAnswer(pointer, operation, response);
    return response;
  }

  /** Validates a response obtained otherwise against those of an operation. */
  check(operationId: string, response: DecodedResponse): void {
    const [path, method, operation] = this.#operations().find(
      ([, , operation]) => operation.operationId === operationId,
    )!;
    this.#checkAnswer(`#/paths/${escaped(path)}/${method}`, operation, response);
  }

  #operations(): [path: string, method: string, OperationObject][] {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, string, OperationObject] => {
        return [path, method, operation];
      }),
    );
  }

  #queryText(pointer: string, operation: OperationObject, { query = {}, isWrong }: Call): string {
    let isRight = true;
    const texts = operation.parameters.flatMap((parameter, index) => {
      if (parameter.$ref !== undefined || parameter.in !== "query") return [];
      const value = query[parameter.name];
      if (value === undefined) {
        isRight &&= parameter.required !== true;
        return [];
      }
      const location = `${pointer}/parameters/${index}`;
      const isJson = parameter.content !== undefined;
      const schema = isJson ? `${location}/content/application~1json/schema` : `${location}/schema`;
      isRight &&= this.#fault(schema, value) === null;
      const text = isJson ? JSON.stringify(value) : String(value);
      return [`${parameter.name}=${encodeURIComponent(text)}`];
    });
    assert.is(isRight, isWrong !== true, `${pointer} takes ${JSON.stringify(query)}`);
    return texts.join("&");
  }

  #body(pointer: string, { requestBody }: OperationObject, { body }: Call) {
    if (body === undefined) return { headers: {}, content: {} };
    const [mediaType] = Object.keys(requestBody!.content) as [string];
    if (mediaType === "application/json") {
      const schema = `${pointer}/requestBody/content/application~1json/schema`;
      assert.is(this.#fault(schema, body), null);
    }
    const content = mediaType === "application/json" ? JSON.stringify(body) : (body as string);
    return { headers: { "content-type": mediaType }, content: { body: content } };
  }

  #checkAnswer(pointer: string, operation: OperationObject, reply: DecodedResponse): void {
    const { operationId, responses } = operation;
    const label = `${operationId} ${reply.status}`;
    assert.match(reply.headers.get("content-type") ?? "", /^application\/json\b/, label);
    const response = responses[reply.status];
    assert.ok(response, `${label} is in the document`);
    const location = response!.$ref ?? `${pointer}/responses/${reply.status}`;
    const fault = this.#fault(`${location}/content/application~1json/schema`, reply.json);
    assert.is(fault, null, `${label}: ${reply.text}`);
    this.calledLabels.add(label);
  }

  /** The reason why a value does not match a schema of the document; null if it does. */
  #fault(pointer: string, value: unknown): string | null {
    const $ref = `${DOCUMENT}${pointer}`;
    const validate = this.#ajv.getSchema($ref) ?? this.#ajv.compile({ $ref });
    return validate(value) ? null : `${pointer}: ${this.#ajv.errorsText(validate.errors)}`;
  }
}

/** A path as a step of a JSON pointer in a URI. */
function escaped(path: string): string {
  return path.replaceAll("~", "~0").replaceAll("/", "~1");
}
