/** A database on a simulated host, and one backup of it, as the control plane sees them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type HubFrameOf, protocolVersion, type RunnerFrameOf } from '../../../protocol/frames.ts';
import type { BenchControlPlane } from './control-plane.ts';
import { connectSimulated, enrolSimulated } from './simulated-runner.ts';

/** As runner/jobs/data reports it. */
const progressEveryMs = 3_000;

/**
 * Deploys a database, and takes one backup that is kept on the host's disk.
 * @param seconds how long the dump takes
 * @param beforeBackup called when the database is live, to begin counting
 */
export async function meteredBackup(
  controlPlane: BenchControlPlane,
  seconds: number,
  beforeBackup: () => Promise<unknown>,
): Promise<void> {
  const starts: HubFrameOf<'start'>[] = [];
  const wanted: ((start: HubFrameOf<'start'>) => void)[] = [];
  const keys = await enrolSimulated(controlPlane, 'backups');
  const runner = await connectSimulated(controlPlane.url, keys, (frame) => {
    if (frame.type !== 'start') return;
    const taker = wanted.shift();
    if (taker) taker(frame);
    else starts.push(frame);
  });
  const nextStart = async () =>
    starts.shift() ?? (await new Promise<HubFrameOf<'start'>>((resolve) => wanted.push(resolve)));
  const report = ({ job, epoch }: HubFrameOf<'start'>, event: RunnerFrameOf<'report'>['event']) =>
    runner.send({ v: protocolVersion, type: 'report', id: `bench-${randomUUID()}`, job, epoch, event });
  try {
    const { project } = await controlPlane.call('POST', '/api/projects', { name: 'Data', description: '' });
    const { service } = await controlPlane.call('POST', `/api/projects/${project.id}/services`, {
      ...{ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres', runnerId: keys.runnerId },
    });
    const { deployment } = await controlPlane.call('POST', `/api/services/${service.id}/deployments`);
    report(await nextStart(), { type: 'result', result: { outcome: 'succeeded', facts: {} } });
    await controlPlane.call('GET', `/api/deployments/${deployment.id}?wait=60`);
    await beforeBackup();
    const path = `/api/services/${service.id}/database/backups`;
    await controlPlane.call('POST', path, { storage: 'disk' });
    const start = await nextStart();
    for (let second = 0; second < seconds; second += progressEveryMs / 1_000) {
      const progress = { done: second * 1_000_000, total: null, unit: 'bytes' } as const;
      report(start, { type: 'phase', phase: 'dump', facts: { progress } });
      await pause(progressEveryMs);
    }
    report(start, { type: 'phase', phase: 'verify', facts: {} });
    const archive = {
      ...{ sizeBytes: seconds * 1_000_000, checksum: `sha256:${'0'.repeat(64)}` },
      ...{ localPath: '/var/lib/longshore/backup', remoteKey: null, tables: 1, rows: 1 },
    };
    report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
    await pause(progressEveryMs);
  } finally {
    runner.close();
  }
}
