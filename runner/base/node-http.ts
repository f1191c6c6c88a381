/**
 * node:http for this program. An `import` of it would touch every lazy export of its, and so load a second HTTP client
 * with WebSocket and all (undici, 12 MB).
 */
export const { request, createServer } = process.getBuiltinModule('node:http');
