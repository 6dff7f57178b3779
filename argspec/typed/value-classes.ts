// Classes whose values have a fixed representation in JSON, named by `x-svc-type` in schemas:
//
//   Date        string, RFC 3339          Set   array
//   URL         string                    Map   object if the keys are text or numbers,
//   bigint      string of digits                else array of pairs
//   Uint8Array  string, base64

export const TEXT_VALUE_CLASSES = ["Date", "URL", "Uint8Array", "bigint"] as const;
export const VALUE_CLASSES = [...TEXT_VALUE_CLASSES, "Map", "Set"] as const;

/** A class whose values are strings in JSON. */
export type TextValueClass = (typeof TEXT_VALUE_CLASSES)[number];
