// Maps the media types of `Accept` to response formats (http-interface, "Request headers acted
// upon").

import type { Accept } from "./request-source.js";

export const MEDIA_TYPES = {
  json: "application/json",
  text: "text/plain",
  partial: "application/x-svc-partial",
} as const satisfies Record<Accept, string>;
