// Detects bundles in which class names must be restored, without loading TypeScript.

/** Matches a class that the bundler renamed, or the call that sets its original name. */
export const RENAMED_CLASS = /=\s?class _|__name\(this, /;
