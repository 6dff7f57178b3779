// An address with its port, as settings and programs give it.

export const HOST_PORT = /^(?:[\w.-]+|\[[\da-f:]+\]):[1-9]\d{0,4}$/i;
