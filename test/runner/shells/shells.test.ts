import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shellLimits } from '../../../protocol/shells/shell.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { Shells } from '../../../runner/shells/shells.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

/** Of a host whose Docker does not answer: what is opened takes its place, and waits. */
async function waitingShells(): Promise<Shells> {
  const socketPath = join(temporaryDirectory(), 'docker.sock');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const docker = connectDocker('runner_1', { socketPath });
  return new Shells({ docker, clock: manualClock(), controlPlaneUrl: 'http://127.0.0.1:9' });
}

interface Owner {
  key?: string;
  tenant?: string;
  service?: string;
}

let shells: Shells;
let opened = 0;
const open = ({ key, tenant, service }: Owner) => {
  opened += 1;
  return shells.open({
    ...{
      op: 'open-shell',
      shellId: `shell_${opened}`,
      token: '',
      runId: null,
      command: null,
      terminal: null,
    },
    keyId: key ?? `key_${opened}`,
    tenantId: tenant ?? `tenant_${opened}`,
    serviceId: service ?? `service_${opened}`,
  });
};

test.each<[keyof typeof shellLimits, Owner, string]>([
  ['service', { service: 'one' }, 'The service has 4 shells open, which is the limit: close one.'],
  ['key', { key: 'one' }, 'This key has 8 shells open, which is the limit: close one.'],
  ['tenant', { tenant: 'one' }, 'The tenant has 16 shells open on this host, which is the limit: close one.'],
  ['host', {}, 'The host has 32 shells open, which is the limit: close one.'],
])('a %s has at most its number of shells, counted before they are open', async (limit, owner, message) => {
  shells = await waitingShells();
  const waiting = Array.from({ length: shellLimits[limit] }, () => open(owner).catch(() => undefined));
  expect(await open(owner)).toEqual({ opened: false, code: 'quota_exceeded', message });
  if (limit !== 'host') waiting.push(open({}).catch(() => undefined));
  expect(await Promise.race([...waiting, 'all wait'])).toBe('all wait');
});
