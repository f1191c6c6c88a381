/**
 * node:http for the process that stays. An `import` would touch all its lazy exports and so load a second HTTP client with WebSocket
 * support (undici, 12 MB).
 */
export const { request, createServer } = process.getBuiltinModule('node:http');
