// The folder of a project that holds its build.

export const BUILD_FOLDER = ".svc";
