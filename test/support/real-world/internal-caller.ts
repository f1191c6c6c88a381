/** A service of the project that calls another one by its internal name, as fast as it gets answers. */
import { labels } from '../../../protocol/names.ts';
import type { DockerHost } from '../../../runner/docker/client.ts';
import { ensureProjectNetwork } from '../../../runner/docker/networks/networks.ts';

export interface InternalCaller {
  /** Its results since the last call: answers by text, errors by code, and the longest wait. */
  seen(): Promise<Seen>;
  remove(): Promise<void>;
}

export interface Seen {
  /** Over connections that stay open. */
  kept: Record<string, number>;
  /** Each over a new connection. */
  fresh: Record<string, number>;
  slowestMs: number;
}

/** Like most programs, it tries only one address of a name. */
const script = `
  const http = require('node:http');
  const [url, kept, fresh, pauseMs, port] = process.argv.slice(-5);
  const fresh0 = () => ({ kept: {}, fresh: {}, slowestMs: 0 });
  let seen = fresh0();
  const ask = (kind, agent) => {
    const from = performance.now();
    const end = (what) => {
      seen[kind][what] = (seen[kind][what] ?? 0) + 1;
      seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - from));
      setTimeout(ask, Number(pauseMs), kind, agent);
    };
    let ended = false;
    const once = (what) => { if (!ended) { ended = true; end(what); } };
    const request = http.get(url, { agent, timeout: 5000, autoSelectFamily: false }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; }).on('end', () => once(text)).on('error', (error) => once(error.code));
    });
    request.on('error', (error) => once(error.code ?? error.message)).on('timeout', () => request.destroy(new Error('silent')));
  };
  for (let n = 0; n < Number(kept); n += 1) ask('kept', new http.Agent({ keepAlive: true, maxSockets: 1 }));
  for (let n = 0; n < Number(fresh); n += 1) ask('fresh', false);
  http.createServer((request, response) => {
    response.end(JSON.stringify(seen));
    seen = fresh0();
  }).listen(Number(port));
`;

/**
 * The same as a separate service, which returns its results.
 * @param callers how many keep a connection open
 * @param fresh how many open a new one each time
 */
export const callingApp = (url: string, callers: number, fresh = 0): Record<string, string> => ({
  Dockerfile: `FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD node server.js ${url} ${callers} ${fresh} 100 $PORT\n`,
  'server.js': script,
});

/** @param url with the internal name and port of the called service */
export async function startInternalCaller(
  docker: DockerHost,
  of: { projectId: string; networkRange: string; url: string },
): Promise<InternalCaller> {
  const network = await ensureProjectNetwork(docker, of.projectId, of.networkRange);
  const container = await docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['node', '-e', script, of.url, '4', '1', '5', '3000'],
    Labels: { [labels.instance]: docker.instance },
    HostConfig: { NetworkMode: network.id },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
  const seen = async () => (await (await fetch(`http://${address}:3000/`)).json()) as Seen;
  const deadline = performance.now() + 15_000;
  while (
    !(await seen().then(
      () => true,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) throw new Error('the internal caller does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { seen, remove: () => container.remove({ force: true }) };
}
