/** `api`: calls any route, for tasks without a command. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LongshoreError } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { apiPaths } from '../proposals.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  fetchWithKey,
  openSession,
  switchFlag,
} from '../session.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const api = buildCommand({
  docs: about(
    'Call a route of the API and print the answer',
    'BODY is JSON, @file or - for stdin. /docs of the instance lists all routes. Streams and downloads are printed as they arrive.',
    'longshore api POST /api/projects \'{"name":"shop"}\'',
  ),
  parameters: {
    flags: { context: commonFlags.context, include: switchFlag('Print the status on stderr') },
    aliases: { i: 'include' },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: methods.join(', '),
          parse: String,
          placeholder: 'method',
          proposeCompletions: (partial: string) => methods.filter((method) => method.startsWith(partial)),
        },
        {
          brief: 'Path, with its query',
          parse: String,
          placeholder: 'path',
          proposeCompletions: apiPaths,
        },
        { brief: 'Body', parse: String, optional: true, placeholder: 'body' },
      ],
    },
  },
  async func(
    this: CommandLine,
    flags: Omit<CommonFlags, 'json'> & { include: boolean },
    method: string,
    path: string,
    body?: string,
  ) {
    const verb = method.toUpperCase();
    if (!methods.includes(verb))
      throw usageFailure(`"${method}" is not a method. Methods: ${methods.join(', ')}.`);
    if (!path.startsWith('/'))
      throw usageFailure(`"${path}" is not a path of the API. Paths begin with /api/.`);
    const { context, output } = await openSession(this, { ...flags, json: false });
    const target = new URL(path, context.url);
    // "//other.example/" is a path for a shell, but another host for a URL. The key may be sent only to this instance.
    if (target.origin !== context.url)
      throw usageFailure(`${path} is an address of another server. This command calls only ${context.url}.`);
    const text = body === undefined ? undefined : await bodyOf(this.process, body);
    const reply = await fetchWithKey(context)(target, {
      method: verb,
      redirect: 'manual',
      headers: {
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(text === undefined ? {} : { body: text }),
    });
    if (flags.include) output.progress(`${reply.status} ${reply.headers.get('content-type') ?? ''}`);
    if (!reply.ok) return refuse(reply);
    if (reply.body) await pipeline(Readable.fromWeb(reply.body), this.process.stdout, { end: false });
    if (reply.headers.get('content-type')?.includes('json')) output.raw('\n');
  },
});

async function refuse(reply: Response): Promise<never> {
  const body: unknown = await reply.json().catch(() => ({}));
  throw new LongshoreError(reply, { ...(body as object) });
}

/** @throws Failure (usage) if the text is not JSON */
async function bodyOf(process: CommandLine['process'], body: string): Promise<string> {
  const text =
    body === '-'
      ? await readStdin(process, 'the body')
      : body.startsWith('@')
        ? await fileText(body.slice(1))
        : body;
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw usageFailure(`The body is not JSON: ${(error as Error).message}`);
  }
}

const fileText = (path: string) =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw usageFailure(`${path} cannot be read: ${error.message}`);
  });
