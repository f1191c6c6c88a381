/** What is under way when a fault strikes. */

import { printedCommand } from '../hosts.ts';
import { inMachine, until } from '../machine.ts';
import { api, type Json } from './api.ts';
import { deployApp, moveFiles, type Scene, untilRunning } from './scene.ts';

export interface Operation {
  /** About how long it takes, so that the moment of the fault lies in it or shortly after. */
  usualMs: number;
  start(scene: Scene, round: number): Promise<unknown>;
}

const connectLimitMs = 60_000;

/** Gives the host the release before: of the same content, under another name. The one that is offered is gone. */
const goBack = `set -e
cd /opt/longshore
now=$(readlink current)
case $now in *-before) rm -rf "\${now%-before}"; exit ;; esac
[ -d "$now-before" ] || cp -a "$now" "$now-before"
ln -sfn "$now-before" current.new
mv -T current.new current
systemctl restart longshore-runner
sync -f .
rm -rf "$now"`;

const startInstall = 'nohup sh -c "$0" >/var/log/lab-install.log 2>&1 &';

export const operations: Record<string, Operation> = {
  idle: { usualMs: 2_000, start: async () => {} },
  deployment: {
    usualMs: 8_000,
    start: (scene, round) => deployApp(scene, scene.web, `round ${round}`),
  },
  // The fault strikes right after the control plane has said that it runs.
  'deployment, done': {
    usualMs: 300,
    start: async (scene, round) => untilRunning(await deployApp(scene, scene.web, `round ${round}`)),
  },
  restart: {
    usualMs: 4_000,
    async start(scene) {
      const { deployment } = await api('POST', `/api/services/${scene.web.id}/restart`);
      scene.versions.set(deployment.id, await versionNow(scene));
    },
  },
  backup: { usualMs: 4_000, start: (scene) => backUp(scene) },
  restore: {
    usualMs: 12_000,
    async start(scene) {
      const path = `/api/services/${scene.database.id}/database/backups`;
      const { backups } = await api('GET', path);
      const last = backups.find((one: Json) => one.status === 'succeeded');
      if (!last) return await backUp(scene);
      await api('POST', `${path}/${last.id}/restore`, {});
    },
  },
  'volume backup': {
    usualMs: 4_000,
    start: (scene) =>
      api('POST', `/api/services/${scene.files.id}/volume-backups`, {
        volumeId: scene.volumeId,
        storage: 'disk',
      }),
  },
  // Needs a second host.
  move: {
    usualMs: 9_000,
    start: (scene) => moveFiles(scene, scene.other?.runnerId ?? ''),
  },
  run: {
    usualMs: 5_000,
    start: (scene) => api('POST', `/api/services/${scene.web.id}/run`, { command: 'sleep 3' }),
  },
  upgrade: {
    usualMs: 6_000,
    async start({ machine, runnerId }) {
      await inMachine(machine, ['sh', '-c', goBack]);
      await until(
        'the connection of the release before',
        () =>
          api('POST', `/api/system/runners/${runnerId}/upgrade`).catch((error: Error) => {
            if (/runner_offline/.test(error.message)) return undefined;
            throw error;
          }),
        connectLimitMs,
      );
    },
  },
  installation: {
    usualMs: 8_000,
    async start({ machine }) {
      await inMachine(machine, ['sh', '-c', goBack]);
      await inMachine(machine, ['sh', '-c', startInstall, await printedCommand(machine.name)]);
    },
  },
};

const backUp = (scene: Scene) =>
  api('POST', `/api/services/${scene.database.id}/database/backups`, { storage: 'disk' });

async function versionNow(scene: Scene): Promise<string> {
  const { deployments } = await api('GET', `/api/services/${scene.web.id}/deployments`);
  return scene.versions.get(deployments.find((one: Json) => one.status === 'running')?.id) ?? 'first';
}
