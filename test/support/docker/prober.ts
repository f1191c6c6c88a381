/** A container that tries TCP connections for a test. */
import type { DockerHost } from '../../../runner/docker/client.ts';

export const proberPort = 3000;

/** `GET /<host>/<port>`: `open`, or the reason why not. */
const script = `
  const { connect } = require('node:net');
  require('node:http').createServer((request, response) => {
    const [, host, port] = request.url.split('/');
    if (!port) return response.end('here');
    const socket = connect({ host, port: Number(port), timeout: 2000 });
    const answer = (text) => { socket.destroy(); response.end(text); };
    socket.once('connect', () => answer('open')).once('timeout', () => answer('timeout')).once('error', ({ code }) => answer(code));
  }).listen(${proberPort});
  process.on('SIGTERM', () => process.exit(0));
`;

export interface Prober {
  id: string;
  /** Its address on the network. */
  address: string;
  gateway: string;
  /** The result of a TCP connection from inside the container: `open`, or the reason why not. */
  tries(host: string, port: number): Promise<string>;
}

/**
 * Starts a prober on a network, and waits until it answers the host.
 * @param options.publish where its port is published on the host
 */
export async function startProber(
  docker: DockerHost,
  networkId: string,
  options: { alias?: string; labels?: Record<string, string>; publish?: { ip: string; port: number } } = {},
): Promise<Prober> {
  const port = `${proberPort}/tcp`;
  const { alias, labels = {}, publish } = options;
  const container = await docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['node', '-e', script],
    Labels: labels,
    ExposedPorts: { [port]: {} },
    HostConfig: {
      NetworkMode: networkId,
      PortBindings: publish ? { [port]: [{ HostIp: publish.ip, HostPort: `${publish.port}` }] } : {},
    },
    ...(alias ? { NetworkingConfig: { EndpointsConfig: { [networkId]: { Aliases: [alias] } } } } : {}),
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const [network] = Object.values(NetworkSettings.Networks);
  const address = network?.IPAddress ?? '';
  const ask = async (path: string) => (await fetch(`http://${address}:${proberPort}/${path}`)).text();
  const deadline = performance.now() + 15_000;
  while ((await ask('').catch(() => '')) !== 'here') {
    if (performance.now() > deadline) throw new Error('the host does not reach the prober');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    id: container.id,
    address,
    gateway: network?.Gateway ?? '',
    tries: (host, port) => ask(`${host}/${port}`),
  };
}
