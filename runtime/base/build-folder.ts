// The folder of a project that holds its build.

export const BUILD_FOLDER = ".svc";

/** The bundle of the authentication handlers in it. */
export const AUTH_FILE = "auth.js";
/** The bundle of the schema of environment variables in it. */
export const ENV_FILE = "env.js";
