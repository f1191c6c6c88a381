/** `files`: small files that the containers of a service see. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildRouteMap } from '@stricli/core';
import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { size } from '../base/progress.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { applyCommand } from '../deployments/next-command.ts';
import { type Found, pathOf } from '../names/find.ts';
import { missingName } from '../names/nearest.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceArgument,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../session.ts';

type MountedFile = ReplyOf<'GET /api/services/:serviceId/files'>['files'][number];

const read = ({ client }: Session, { service }: Found) =>
  client.call('GET /api/services/:serviceId/files', { params: { serviceId: service.id } });

async function findFile(session: Session, found: Found, path: string): Promise<MountedFile> {
  const { files } = await read(session, found);
  const file = files.find((one) => one.path === path);
  if (file !== undefined) return file;
  throw usageFailure(
    missingName(
      'file',
      path,
      files.map((one) => one.path),
    ),
  );
}

const list = buildCommand({
  docs: { brief: 'List the mounted files of a service' },
  parameters: { flags: serviceFlags, aliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const reply = await read(session, await session.find(flags, target));
    const rows = reply.files.map((one) => [
      one.path,
      one.mode,
      size(one.sizeBytes),
      one.secret ? 'secret' : 'plain',
      reply.pendingFiles.includes(one.path) ? 'with the next restart' : '',
    ]);
    session.output.answer(reply, () =>
      table(
        ['PATH', 'MODE', 'SIZE', 'KIND', ''],
        rows,
        'No files: longshore files set /path/in/the/container FILE',
      ),
    );
  },
});

const pathParameter = {
  brief: 'Absolute path in the container',
  parse: String,
  placeholder: 'path',
} as const;

const show = buildCommand({
  docs: { brief: 'Print a mounted file' },
  parameters: { flags: serviceFlags, aliases, positional: { kind: 'tuple', parameters: [pathParameter] } },
  async func(this: CommandLine, flags: ServiceFlags, path: string) {
    const session = await openSession(this, flags);
    const file = await findFile(session, await session.find(flags), path);
    if (file.content === null)
      throw new Failure(`This key may not read ${path}: use a key that may write.`, { code: 'forbidden' });
    // The content is printed unchanged, because it may be redirected into a file.
    if (flags.json) session.output.answer({ file }, () => '');
    else session.output.raw(file.content);
  },
});

interface SetFlags extends ServiceFlags {
  secret?: boolean;
  mode?: string;
}

const set = buildCommand({
  docs: about(
    'Set a mounted file',
    'Without a local file, or with -, stdin is the content. A new file is secret: keys that may only read do not see it, and logs mask it. --no-secret shows it to them. The next deployment or restart mounts it.',
    'longshore files set /etc/app/app.conf app.conf -s web',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      secret: {
        kind: 'boolean',
        brief: 'Hide the content in logs and from keys that may only read',
        optional: true,
      },
      mode: textFlag('Permissions (default of a new file: 0444)', 'mode'),
    },
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        pathParameter,
        { brief: 'Local file (default: stdin)', parse: String, optional: true, placeholder: 'file' },
      ],
    },
  },
  async func(this: CommandLine, flags: SetFlags, path: string, from?: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const content =
      from === undefined || from === '-'
        ? await readStdin(this.process, `the content of ${path}`)
        : await textOf(session, from);
    const reply = await session.client.call('PUT /api/services/:serviceId/files', {
      params: { serviceId: found.service.id },
      body: {
        path,
        content,
        ...(flags.secret === undefined ? {} : { secret: flags.secret }),
        ...(flags.mode === undefined ? {} : { mode: flags.mode }),
      },
    });
    session.output.answer(reply, () => path);
    session.output.progress(`To mount it: ${applyCommand(found, 'restart')}`);
  },
});

/** @throws Failure (usage) for a file that cannot be read or is not UTF-8 text: the API would receive other bytes */
async function textOf({ directory }: Session, file: string): Promise<string> {
  const bytes = await readFile(resolve(directory, file)).catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageFailure(
      `${file} is not text in UTF-8. Put it into the image, or set it as base64 in a variable: longshore env set`,
    );
  }
}

const remove = buildCommand({
  docs: { brief: 'Remove a mounted file' },
  parameters: {
    flags: { ...serviceFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: { kind: 'tuple', parameters: [pathParameter] },
  },
  async func(this: CommandLine, flags: ServiceFlags & { yes: boolean }, path: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    await findFile(session, found, path);
    await confirm(this.process, `Remove the file ${path} of ${pathOf(found)}?`, flags.yes);
    const reply = await session.client.call('DELETE /api/services/:serviceId/files', {
      params: { serviceId: found.service.id },
      query: { path },
    });
    session.output.answer(reply, () => path);
    session.output.progress(`To unmount it: ${applyCommand(found, 'restart')}`);
  },
});

export const files = buildRouteMap({
  docs: { brief: 'Small files that the containers of a service see' },
  routes: { list, show, set, remove },
});
