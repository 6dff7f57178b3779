// Numbers of articles, as callers write them.

import type { str } from "svc-server";

/** Number of an article: two letters, four digits. @pattern ^[a-z]{2}-\d{4}$ */
export type Article = str;
