// Reads the media types of an HttpResponse from its type, `HttpResponse<"image/png">`, or from the
// tag `@produces image/png` if the type has none, as in JavaScript.

import { ts } from "ts-morph";
import { readTagLine } from "./doc-comment.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

const TAG = "produces";
const EXAMPLE = "`@produces image/png`";
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;
/** `image/${string}` */
const ANY_SUBTYPE = /^([^/]+\/)$/;

/**
 * Returns the media types that a plugin declares, sorted; none for any.
 * @param where position of diagnostics about the result type
 * @param responses the HttpResponse types among its results
 */
export function readMediaTypes(
  context: ReadContext,
  { doc, name }: PluginDeclaration,
  where: ts.Node,
  responses: readonly ts.Type[],
): readonly string[] {
  const typed = responses.map((response) => declaredTypes(context, response));
  const acceptsAny = typed.some((types) => types === null);
  const inType = typed.flatMap((types) => types ?? []);
  const tags = doc.tags.filter(({ tagName }) => tagName.text === TAG);
  for (const tag of tags) {
    if (responses.length > 0 && acceptsAny) continue;
    const reason =
      responses.length === 0 ? "does not return an HttpResponse" : "declares it in its type";
    context.error(
      "SVC1149",
      tag,
      `\`@produces\` has no effect: \`${name}\` ${reason}`,
      "the comment without the tag",
    );
  }
  const inTags = tags.flatMap((tag) => readTag(context, tag));
  for (const type of inType) requireMediaType(context, where, type, '`HttpResponse<"image/png">`');
  // If one response can have any media type, so can the result.
  if (acceptsAny && inTags.length === 0) return [];
  return [...new Set([...inType, ...inTags])].sort();
}

function readTag(context: ReadContext, tag: ts.JSDocTag): string[] {
  const words = readTagLine(tag).split(/[\s,]+/);
  const types = words.filter((word) => word !== "").map(plainMediaType);
  if (types.length === 0) context.error("SVC1149", tag, "`@produces` has no media type", EXAMPLE);
  return types.filter((type) => requireMediaType(context, tag, type, EXAMPLE));
}

function requireMediaType(context: ReadContext, where: ts.Node, type: string, help: string) {
  if (MEDIA_TYPE.test(type)) return true;
  context.error("SVC1149", where, `\`${type}\` is not a media type`, help);
  return false;
}

/** Returns the media types of an `HttpResponse<M>`; null if M is any string. */
function declaredTypes({ checker }: ReadContext, response: ts.Type): string[] | null {
  const [argument] = checker.getTypeArguments(response as ts.TypeReference);
  if (argument === undefined) return null;
  const members = argument.isUnion() ? argument.types : [argument];
  const types = members.map(mediaTypeText);
  return types.includes(null) ? null : (types as string[]);
}

function mediaTypeText(type: ts.Type): string | null {
  if (type.isStringLiteral()) return plainMediaType(type.value);
  if (!(type.flags & ts.TypeFlags.TemplateLiteral)) return null;
  const [start = "", ...others] = (type as ts.TemplateLiteralType).texts;
  const isRange = ANY_SUBTYPE.test(start) && others.every((text) => text === "");
  return isRange ? `${start.toLowerCase()}*` : null;
}

/** Returns a media type without its parameters, in lower case. */
function plainMediaType(text: string): string {
  return text.split(";", 1)[0]!.trim().toLowerCase();
}
