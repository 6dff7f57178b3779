// Host and port, as in settings and library calls.

const PORT = "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5])";

export const HOST_PORT = new RegExp(`^(?:[\\w.-]+|\\[[\\da-f:]+\\]):${PORT}$`, "i");
