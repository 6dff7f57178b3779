// The value that the start function of this executor returned: `request.app` and `job.app`.

declare global {
  /** Result of `onStart`; projects add its properties by declaration merging. */
  interface SvcApp {}
}

export type App = SvcApp;

let current: { readonly app: unknown } | null = null;

/** Sets the value for all requests of this thread. */
export function setApp(app: unknown): void {
  current = { app };
}

/** @throws Error in a thread without start function */
export function getApp(): App {
  if (current !== null) return current.app as App;
  throw new Error("app is not available here: set `onStart` in svc.config.ts, without `@inline`");
}
