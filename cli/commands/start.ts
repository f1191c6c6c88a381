/** `start`: starts a stopped service. If no service is given, starts the instance on this machine, as `npm start` does in a clone. */
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { about, type CommandLine, openSession, serviceArgument, switchFlag } from '../session.ts';
import { localInstance, readContexts } from '../settings/contexts.ts';
import { readLink } from '../settings/link.ts';
import { aliases, tellStarted, type WaitFlags, waitFlags } from './releases.ts';
import { type InstanceFlags, instanceFlags, startInstance } from './server.ts';

interface StartFlags extends WaitFlags, InstanceFlags {
  yes: boolean;
}

export const start = buildCommand({
  docs: about(
    'Start a stopped service, or an instance on this machine',
    'With the name of a service, or in a folder that is linked to a service, starts that service. Otherwise starts an instance on this machine with an example app, like npm start in a clone: see longshore server start. Also starts an instance if the folder is linked but has an instance that is not running, or if you use a flag that only instances have. If you are logged in to another instance, asks first.',
  ),
  parameters: {
    flags: {
      ...waitFlags,
      ...instanceFlags,
      demo: { kind: 'boolean', brief: 'Instance: deploy an example app', default: true },
      yes: switchFlag('Instance: start it without asking'),
    },
    aliases: { ...aliases, d: 'detach', y: 'yes' },
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: StartFlags, target?: string) {
    const { meant, isSure } = await meaning(this, flags, target);
    if (meant === 'service') {
      const session = await openSession(this, flags);
      const { service } = await session.find(flags, target);
      const params = { serviceId: service.id };
      const started = await session.client.call('POST /api/services/:serviceId/start', { params });
      return tellStarted(this, session, flags, started);
    }
    const question =
      'You gave no service, and this folder is not linked to one. Start an instance of Longshore on this machine?';
    await confirm(this.process, question, isSure || flags.yes);
    return startInstance(this.process, flags);
  },
});

/**
 * Decides what to start. A name, a link or a flag of a service means the service. A flag of an instance, or none of all these, means the instance.
 * A link to an instance of this folder that does not run also means the instance: without it, the service can't be started.
 * @returns `isSure: false` if the user is logged in to an instance and may have meant one of its services
 * @throws Failure (usage) for a service with flags of an instance
 */
async function meaning(
  { process }: CommandLine,
  flags: StartFlags,
  target: string | undefined,
): Promise<{ meant: 'service' | 'instance'; isSure: boolean }> {
  const { data, port, httpPort, httpsPort, detach, demo, yes } = flags;
  const forInstance =
    [data, port, httpPort, httpsPort].some((value) => value !== undefined) || detach || yes || !demo;
  const { project, service, context, wait, timeout, json } = flags;
  const forService =
    [target, project, service, context, timeout].some((value) => value !== undefined) || wait || json;
  if (forService && forInstance)
    throw usageFailure(
      'Do you want to start a service or an instance? --data, --port, --http-port, --https-port, --no-demo, -d and -y are for an instance; a name, --context, --wait, --timeout and --json are for a service.',
    );
  if (forService) return { meant: 'service', isSure: true };
  if (forInstance) return { meant: 'instance', isSure: true };
  const { env } = process;
  const isLoggedIn =
    Boolean(env.LONGSHORE_URL || env.LONGSHORE_CONTEXT) || (await readContexts(env)).current !== null;
  if ((await readLink(process.cwd())) === undefined) return { meant: 'instance', isSure: !isLoggedIn };
  if (isLoggedIn) return { meant: 'service', isSure: true };
  const own = await localInstance(process.cwd());
  return { meant: own === undefined || (await answers(own.url)) ? 'service' : 'instance', isSure: true };
}

const answerLimitMs = 5_000;

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerLimitMs) }).then(
    () => true,
    () => false,
  );
