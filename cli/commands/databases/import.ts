/** `db import`: fills a database from a file or another server. */
import { resolve } from 'node:path';
import type { ReplyOf } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { readStdin } from '../../base/output.ts';
import { confirm } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { type FoundDatabase, findDatabase } from '../../data/databases.ts';
import { uploadFile } from '../../data/upload.ts';
import { type WorkFlags, waitForWork, waitOptions, workFlags } from '../../data/wait.ts';
import { pathOf } from '../../names/find.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../../session.ts';
import { databaseArgument } from './flags.ts';

interface ImportFlags extends ServiceFlags, WorkFlags {
  replace: boolean;
  upload?: string;
  yes: boolean;
}

const listImports = async ({ client }: Session, serviceId: string) =>
  (await client.all('GET /api/services/:serviceId/database/imports', { params: { serviceId } })).imports;

export const imports = buildCommand({
  docs: { brief: 'List the imports into a database, newest first' },
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const { service } = await findDatabase(session, flags, argument);
    const imports = await listImports(session, service.id);
    const rows = imports.map((one) => [one.id, one.status, one.createdAt, one.sourceLabel, one.error ?? '']);
    session.output.answer({ imports }, () =>
      table(['ID', 'STATUS', 'CREATED', 'SOURCE', ''], rows, 'No imports: longshore db import FILE'),
    );
  },
});

export const importInto = buildCommand({
  docs: about(
    'Fill a database from a dump file or the URL of another server',
    'If the URL contains a password, pipe it in: longshore db import - reads it from stdin, so that other users of this machine cannot see it. If the database has data, --replace is needed; the data is backed up first.',
    'longshore db import shop.dump -s db --wait',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      ...workFlags,
      replace: switchFlag('Replace the data of the database, after a backup'),
      upload: textFlag('Continue or reuse this upload of the file', 'id'),
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, w: 'wait', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'File, URL, or - for a URL on stdin', parse: String, placeholder: 'source' }],
    },
  },
  async func(this: CommandLine, flags: ImportFlags, given: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags);
    const path = pathOf(found);
    const source = given === '-' ? (await readStdin(this.process, 'the URL')).trim() : given;
    if (given === '-' && !isUrl(source))
      throw usageFailure('stdin contains no URL such as postgres://user:password@host/name.');
    if (flags.replace) await confirm(this.process, `Replace all data of ${path}?`, flags.yes);
    const { result } = isUrl(source)
      ? await fromUrl(session, found, source, flags.replace)
      : await fromFile(session, found, resolve(session.directory, source), flags);
    if (!flags.wait) return session.output.answer({ import: result }, () => result.id);
    const shown = { subject: `Import ${result.id}`, comeBack: `longshore db imports -s ${path}` };
    const options = waitOptions(this, flags, shown);
    const ended = await waitForWork(session, options, async () =>
      (await listImports(session, found.service.id)).find((one) => one.id === result.id),
    );
    for (const sentence of ended.skipped) session.output.progress(sentence);
    session.output.answer({ import: ended }, () => result.id);
  },
});

const isUrl = (source: string) => /^[a-z][a-z+]*:\/\//i.test(source);

type Started = ReplyOf<'POST /api/services/:serviceId/database/import/file'>;

async function fromFile(
  session: Session,
  { service }: FoundDatabase,
  path: string,
  flags: ImportFlags,
): Promise<Started> {
  const uploadId = await uploadFile(session, service.id, path, flags.upload);
  return session.client
    .call('POST /api/services/:serviceId/database/import/file', {
      params: { serviceId: service.id },
      body: { uploadId, replace: flags.replace },
    })
    .catch((error: unknown) => {
      session.output.progress(
        `The uploaded file is kept for 24 hours. To use it without sending it again, add --upload ${uploadId}`,
      );
      throw error;
    });
}

/** The kind of server from which each engine imports. */
function fromUrl(
  { client }: Session,
  { service, engine }: FoundDatabase,
  sourceUrl: string,
  replace: boolean,
): Promise<Started> {
  const kind = engine === 'timescale' ? 'postgres' : engine;
  return client.call(`POST /api/services/:serviceId/database/import/${kind}-url`, {
    params: { serviceId: service.id },
    body: { sourceUrl, replace },
  });
}
