/** `login`: stores the key of an instance as a context, or signs a member in by the browser. */
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { createOutput, readStdin } from '../../base/output.ts';
import { ask, isTerminal } from '../../base/prompts.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  clientOf,
  commonFlags,
  switchFlag,
} from '../../session.ts';
import { type Context, changeContexts, originOf, readContexts } from '../../settings/contexts.ts';
import { loginByBrowser } from './browser-login.ts';

interface LoginFlags extends CommonFlags {
  stdin: boolean;
  key: boolean;
  browser: boolean;
}

export const login = buildCommand({
  docs: about(
    'Log in to an instance',
    'As a member, in the browser: shows a code, which you compare and allow on a page of the instance, on this machine or another one. With a key: --key asks for it and does not show it, --stdin reads it from stdin, and LONGSHORE_KEY is used if it is set. The key is never an argument, because other users of this machine can see arguments. The login is stored as a context, in a file that only you can read.',
  ),
  parameters: {
    flags: {
      ...commonFlags,
      stdin: switchFlag('Read a key from stdin'),
      key: switchFlag('Ask for a key'),
      browser: switchFlag('Log in by the browser, even if LONGSHORE_KEY is set or there is no terminal'),
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'URL of the control plane', parse: String, optional: true, placeholder: 'url' }],
    },
  },
  async func(this: CommandLine, flags: LoginFlags, given?: string) {
    const { env } = this.process;
    if ([flags.stdin, flags.key, flags.browser].filter(Boolean).length > 1)
      throw usageFailure('--stdin, --key and --browser exclude each other: use one of them.');
    const stored = await readContexts(env);
    const name = flags.context ?? 'default';
    const typed = given ?? env.LONGSHORE_URL ?? stored.contexts[name]?.url;
    const url = originOf(
      typed ??
        (await ask(this.process, 'URL of the control plane', {
          without: 'Name the URL: longshore login https://longshore.example',
        })),
    );
    const output = createOutput(this.process, flags.json);
    const byKey = flags.stdin || flags.key || (Boolean(env.LONGSHORE_KEY) && !flags.browser);
    if (!byKey && !flags.browser && !isTerminal(this.process))
      throw usageFailure(
        'There is no terminal. With a key: pipe it in with --stdin, or set LONGSHORE_KEY. As a member: add --browser, which prints a code.',
      );
    const context: Context = byKey
      ? { url, key: await keyOf(this.process, flags.stdin) }
      : await loginByBrowser(this.process, output, url);
    const { key: known } = await clientOf(context).call('GET /api/key');
    await changeContexts(env, ({ contexts }) => ({
      current: name,
      contexts: { ...contexts, [name]: context },
    }));
    const { member } = known;
    output.answer({ context: name, url, key: known }, () =>
      member
        ? `Logged in to ${url} as ${member.email} (${member.role}), context ${name}.`
        : `Logged in to ${url} as "${known.name}" (${known.access}), context ${name}.`,
    );
  },
});

async function keyOf(process: CommandLine['process'], fromStdin: boolean): Promise<string> {
  const key = (await givenKey(process, fromStdin)).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageFailure('This is not a key: it is empty, or contains characters that keys do not have.');
}

async function givenKey(process: CommandLine['process'], fromStdin: boolean): Promise<string> {
  if (fromStdin) return readStdin(process, 'the key');
  const without = 'There is no terminal to ask for the key: pipe it in with --stdin, or set LONGSHORE_KEY.';
  return process.env.LONGSHORE_KEY || ask(process, 'API key', { secret: true, without });
}
