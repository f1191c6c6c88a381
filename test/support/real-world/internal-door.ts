/** A container in a project's network that forwards each connection to a service of the project, by its internal name. */
import type Docker from 'dockerode';
import { portAnswers } from '../../../runner/base/port-answers.ts';
import { until } from '../runner/until.ts';
import type { Door } from './exchange.ts';

const listensAt = 3000;
/** It tries one address, as most programs do. Each side sees how the other side ends: by FIN in one direction, or by an error. */
const script = `
  const net = require('node:net');
  const [host, port] = process.argv.slice(-2);
  net.createServer({ allowHalfOpen: true }, (outside) => {
    const inside = net.connect({ host, port: Number(port), allowHalfOpen: true, autoSelectFamily: false });
    outside.pipe(inside).pipe(outside);
    for (const [one, other] of [[outside, inside], [inside, outside]])
      one.on('error', () => other.resetAndDestroy());
  }).listen(${listensAt});
`;

export interface InternalDoor {
  door: Door;
  remove(): Promise<void>;
}

/** @param of.network its id @param of.name the internal name of the service */
export async function openInternalDoor(
  docker: Docker,
  { network, name, port }: { network: string; name: string; port: number },
): Promise<InternalDoor> {
  const container = await docker.createContainer({
    Image: 'node:24-slim',
    Cmd: ['node', '-e', script, name, String(port)],
    HostConfig: { NetworkMode: network },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const host = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
  await until('the internal door to be open', () => portAnswers(host, listensAt, 1_000), 20_000);
  return {
    door: { host, port: listensAt, name: `${name}:${port}` },
    remove: () => container.remove({ force: true }),
  };
}
