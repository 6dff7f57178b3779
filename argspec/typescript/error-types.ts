// Declares the errors of a client: one class with a union type, so that a `switch` over `kind`
// narrows its details.

import { commentLine, docComment } from "./doc-comment.js";
import type { TypedKind } from "./section.js";

/** @param runtime module with the declarations of the client runtime */
export function errorDeclarations(errors: readonly TypedKind[], runtime: string) {
  if (errors.length === 0) return { head: `\nexport { SvcError } from "${runtime}";`, types: [] };
  const types = errors.map((error) => {
    const { type, kind, statuses, detailsType, descriptions } = error;
    const details = detailsType === null ? "" : `, ${detailsType}`;
    const lines = descriptions.map(commentLine);
    const comment = docComment([`A call that failed with \`${kind}\`.`, ...lines]);
    const failure = `Failure<${JSON.stringify(kind)}, ${statuses.join(" | ")}${details}>`;
    return `${comment}export type ${type} = ${failure};\n`;
  });
  const members = errors.map(({ type }) => `\n  | ${type}`).join("");
  const union = `/** A failed call: its \`kind\` is the reason. */
export type SvcError =
  | Failure${members};
export declare const SvcError: {
  readonly prototype: SvcError;
  new (kind: ErrorKind, message: string, details?: SvcErrorDetails): SvcError;
};
`;
  const names = "ErrorKind, SvcError as Failure, SvcErrorDetails";
  const head = `import type { ${names} } from "${runtime}";\n`;
  return { head, types: [...types, union] };
}
