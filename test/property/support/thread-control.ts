// Control of a thread by shared words: start, pause and resume.

/** Words that control a thread. */
export const Control = {
  /** It starts when this is set. */
  Go: 0,
  /** It changes nothing while this is set. */
  Pause: 1,
  /** Set while it changes nothing. */
  Paused: 2,
  /** Changes that it has made. */
  Changes: 3,
} as const;
export const CONTROL_WORDS = 4;
