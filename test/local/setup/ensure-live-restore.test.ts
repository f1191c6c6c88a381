import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureLiveRestore } from '../../../local/setup/ensure-live-restore.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

/** Docker with these settings, which reads its file at a reload. */
async function switchedOn(
  before: string | undefined,
  { swarm = 'inactive', args = [] as string[], isOn = false } = {},
) {
  const settingsFile = join(temporaryDirectory(), 'daemon.json');
  if (before !== undefined) writeFileSync(settingsFile, before);
  let enabled = isOn;
  let reloads = 0;
  const said: string[] = [];
  await ensureLiveRestore({
    settingsFile,
    say: (line) => said.push(line),
    docker: { info: async () => ({ LiveRestoreEnabled: enabled, Swarm: { LocalNodeState: swarm } }) },
    async reload() {
      reloads += 1;
      enabled = JSON.parse(readFileSync(settingsFile, 'utf8'))['live-restore'];
    },
    daemonArguments: async () => ['/usr/sbin/dockerd', ...args],
  });
  const after = existsSync(settingsFile) ? readFileSync(settingsFile, 'utf8') : undefined;
  return { after, reloads, said: said.join('\n') };
}

test('a Docker without settings gets a file with this one', async () => {
  const { after, reloads, said } = await switchedOn(undefined);
  expect([JSON.parse(after ?? ''), reloads]).toEqual([{ 'live-restore': true }, 1]);
  expect(said).toContain('live-restore is on');
});

test('settings of the operator stay', async () => {
  const own = { 'userns-remap': 'default', 'log-opts': { 'max-size': '10m' } };
  const { after } = await switchedOn(JSON.stringify(own));
  expect(JSON.parse(after ?? '')).toEqual({ ...own, 'live-restore': true });
});

test.each([
  ['the file says no', '{"live-restore": false}', {}],
  ['the file is not JSON', '{"live-restore', {}],
  ['the file is a list', '[]', {}],
  ['Docker is in a swarm', undefined, { swarm: 'active' }],
  ['an argument of dockerd says no', undefined, { args: ['--live-restore=false'] }],
  ['Docker reads another file', undefined, { args: ['--config-file=/etc/other.json'] }],
])('nothing is changed when %s, and the consequence is printed', async (_, before, options) => {
  const { after, reloads, said } = await switchedOn(before, options);
  expect([after, reloads]).toEqual([before, 0]);
  expect(said).toMatch(/live-restore is off .*apps stop while Docker restarts/);
});

test('nothing is done when it is on already', async () => {
  expect(await switchedOn(undefined, { isOn: true })).toEqual({ after: undefined, reloads: 0, said: '' });
});
