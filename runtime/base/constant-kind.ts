// Kinds of numeric constants. Editors reject constants of another kind; plain numbers pass.

declare const KIND: unique symbol;

export type Constant<Kind extends string> = number & { readonly [KIND]?: Kind };
