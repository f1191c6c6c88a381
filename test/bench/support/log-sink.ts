/** Receivers of log drains in a process of their own, so that the bench measures only the runner. Prints their ports. */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';

const http = createHttpServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(204).end());
});
const syslog = createTcpServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.resume();
});

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
};

process.stdout.write(`${JSON.stringify({ http: await listen(http), syslog: await listen(syslog) })}\n`);
process.stdin.resume().once('end', () => process.exit(0));
