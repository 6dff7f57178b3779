// How a test lets a thread begin, pause and go on, by words that both share.

/** Words by which a thread is controlled. */
export const Control = {
  /** It begins when this is set. */
  Go: 0,
  /** It changes nothing while this is set. */
  Pause: 1,
  /** Set while it changes nothing. */
  Paused: 2,
  /** Changes that it has made. */
  Changes: 3,
} as const;
export const CONTROL_WORDS = 4;
