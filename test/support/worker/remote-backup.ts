/** A database on a fake host, and backups of it in the bucket. */
import { env } from 'cloudflare:workers';
import type { ArchiveFacts } from '../../../protocol/job-report.ts';
import { createDependencies } from '../../../worker/context.ts';
import { createBlobs } from '../../../worker/gateways/blobs/create-blobs.ts';
import { findBackup } from '../../../worker/store/backups/backup-store.ts';
import { deleteBackup } from '../../../worker/usecases/backups/delete-backup.ts';
import { createClient, deps, insertKey, type Json } from './api.ts';
import { insertDeploymentOf } from './deployment-rows.ts';
import { type BucketCall, failingBucket } from './failing-bucket.ts';
import { FakeRunner } from './fake-runner.ts';
import { newHost } from './host.ts';

export const call = createClient();

/** A client of an app whose bucket fails in this way. */
export function clientWithBucket(fails: (call: BucketCall) => boolean) {
  const bucket = failingBucket(fails);
  return createClient({
    dependenciesOf: (of) => ({ ...createDependencies(of), blobs: createBlobs({ r2: bucket }) }),
  });
}

/** A bucket that works, but removes nothing before the gate opens. */
export function slowRemoval() {
  const [isReached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const remove: typeof deps.blobs.remove = async (keys) => {
    isReached.resolve();
    await gate.promise;
    await deps.blobs.remove(keys);
  };
  return { blobs: { ...deps.blobs, remove }, isReached: isReached.promise, open: gate.resolve };
}

/** Removes a backup at once, as automatic retention does. */
export async function expire(
  { service }: Pick<Awaited<ReturnType<typeof remoteDatabase>>, 'service'>,
  id: string,
  blobs = deps.blobs,
): Promise<string | null> {
  const backup = await findBackup(deps.db, id);
  if (!backup) throw new Error(`no backup ${id}`);
  return deleteBackup({ ...deps, blobs }, { backup, service });
}

export const bytes = 'the bytes of a backup';
const factsOf = (copies: Pick<ArchiveFacts, 'localPath' | 'remoteKey'>): ArchiveFacts => ({
  sizeBytes: bytes.length,
  checksum: `sha256:${'a'.repeat(64)}`,
  tables: 1,
  rows: 1,
  ...copies,
});

export async function remoteDatabase() {
  const { token } = await insertKey();
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({
    kind: 'database',
    repoFullName: 'database:postgres',
    generatedHostname: null,
    lastDeployedAt: 1,
    status: 'active',
  });
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', finishedAt: 1 },
    deployment: { status: 'running', finishedAt: 1 },
  });
  const base = `/api/services/${service.id}/database/backups`;
  const send = (method: string, path = '', body?: unknown, client = call, headers = {}) =>
    client(method, `${base}${path}`, { token, headers, ...(body === undefined ? {} : { body }) });
  const listed = async (id: string): Promise<Json> =>
    (await send('GET')).body.backups.find((one: Json) => one.id === id);
  const begun = async (storage: string) => {
    const { backup } = (await send('POST', '', { storage })).body;
    const start = await runner.next('start');
    const { transferToken } = await runner.openBox(start);
    if (transferToken === undefined) throw new Error('no token');
    return { backup, start, transferToken };
  };
  /** A backup with its object in the bucket. */
  const taken = async (storage: 'remote' | 'disk+remote'): Promise<Json> => {
    const { backup, start } = await begun(storage);
    const remoteKey = `backups/${service.id}/${backup.id}`;
    await env.BLOBS.put(remoteKey, bytes);
    const archive = factsOf({ remoteKey, localPath: storage === 'remote' ? null : '/data/bak' });
    await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
    return listed(backup.id);
  };
  return { token, runner, service, send, listed, begun, taken };
}

/** A host's requests about the copy of one job. */
export function copyCalls(job: string, transferToken: string, client = call) {
  const ask = (method: string, path: string, query: Record<string, string>, more = {}) =>
    client(method, `/api/runner/backup-copy${path}?${new URLSearchParams({ job, ...query })}`, {
      token: transferToken,
      ...more,
    });
  return {
    begin: () => ask('POST', '', {}),
    part: (upload: string, part: string, raw: string, headers: Record<string, string> = {}) =>
      ask(
        'PUT',
        '/part',
        { upload, part },
        { raw, headers: { 'content-length': String(raw.length), ...headers } },
      ),
    complete: (upload: string, etags: string[]) =>
      ask('POST', '/completion', {}, { body: { job, upload, etags } }),
    discard: (upload: string) => ask('DELETE', '', { upload }),
    read: (range?: string) => ask('GET', '', {}, { headers: range === undefined ? {} : { range } }),
  };
}
