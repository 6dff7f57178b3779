// Describes an operation as a generated client would, from the argspec of a build.

import type { Argspec } from "../../argspec/argspec.js";
import { listOperations } from "../../argspec/operations.js";
import type { Operation } from "../../client/typescript/operation.js";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { SvcError } from "../../runtime/base/errors.js";

/** @throws SvcError SVC2944 if the project has no plugin of that name */
export function operationFor(argspec: Argspec, name: string): Operation {
  const operations = listOperations(argspec);
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) {
    const known = operations.map((one) => one.name);
    throw new SvcError("SVC2944", `the project has no plugin ${name}${didYouMean(name, known)}`);
  }
  const { path, params, content, readonly } = operation;
  const json = params.filter(({ wire }) => wire === "json").map((param) => param.name);
  const form = content?.wire;
  return {
    ...{ path, json, readonly },
    ...(form === "bytes" || form === "str" || form === "json" ? { content: form } : {}),
  };
}
