// How the built-in plugin `argspec` gets at the forms that only the admin executor makes: it is
// called like any plugin, with nothing but a request. Set once, in that thread alone.

import type { ArgspecForms } from "./argspec-forms.js";

let current: ArgspecForms | null = null;

export function setArgspecForms(forms: ArgspecForms): void {
  current = forms;
}

export function argspecForms(): ArgspecForms {
  if (current === null) throw new Error("forms of the argspec are made by the admin executor only");
  return current;
}
