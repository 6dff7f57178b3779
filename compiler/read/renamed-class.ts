// Recognizes bundles with names of classes to restore, without TypeScript.

/** A name made up by the bundler, or one that is set afterwards. */
export const RENAMED_CLASS = /=\s?class _|__name\(this, /;
