/** An app that reports what its container can reach. */

export const internalPort = 3000;

/** `GET /<host>/<port>`: tries a TCP connection from inside the container; `open`, or the reason why not. */
export const prober = {
  Dockerfile: 'FROM node:24-slim\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]\n',
  'server.js': `
    const { connect } = require('node:net');
    require('node:http').createServer((request, response) => {
      const [, host, port] = request.url.split('/');
      if (!port) return response.end('here');
      const socket = connect({ host, port: Number(port), timeout: 1500 });
      const answer = (text) => { socket.destroy(); response.end(text); };
      socket.once('connect', () => answer('open')).once('timeout', () => answer('timeout')).once('error', ({ code }) => answer(code));
    }).listen(${internalPort});
    process.on('SIGTERM', () => process.exit(0));
  `,
};
