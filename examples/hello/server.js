import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const port = Number(process.env.PORT ?? 3000);
// Set by the platform; short, as git shows it.
const commit = (process.env.LONGSHORE_COMMIT_SHA ?? 'unknown').slice(0, 7);
const startedAt = new Date().toISOString();

const page = () => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Hello from Longshore</title></head>
  <body>
    <h1>Hello from Longshore</h1>
    <p>version ${version}, commit ${commit}, running since ${startedAt}</p>
    <p>It is ${new Date().toISOString()}.</p>
  </body>
</html>
`;

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  // While ending: tells the client not to send another request on this connection.
  if (ending) response.setHeader('connection', 'close');
  response.end(page());
});

let ending = false;

function end() {
  if (ending) return;
  ending = true;
  console.log('ending: waiting for open requests');
  server.close(() => process.exit(0));
  server.closeIdleConnections();
}

process.once('SIGTERM', end);
process.once('SIGINT', end);
server.listen(port, () => console.log(`version ${version}, commit ${commit}: listening on ${port}`));
