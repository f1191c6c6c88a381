/** `start`: a stopped service; where no service is meant, the instance on this machine, as `npm start` does from a clone. */
import { buildCommand } from '@stricli/core';
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
    'With the name of a service, or in a folder that is linked to one, it starts this service. Without, it starts an instance on this machine, with an example app, like npm start in a clone: see longshore server start. It also does so in a linked folder whose own instance does not run, and with a flag that only an instance has. If you are logged in to another instance, it asks first.',
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
      'No service is named, and this folder is linked to none. Start an instance of Longshore on this machine?';
    await confirm(this.process, question, isSure || flags.yes);
    return startInstance(this.process, flags);
  },
});

/**
 * A name, a link and a flag of a service mean the service; a flag of an instance and the lack of all of them mean the instance. A link to an
 * instance of this folder that does not run means the instance: without it, there is no service to start.
 * @returns whether that is certain: who is logged in to an instance may have meant one of its services
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
      'Is a service to be started, or an instance? --data, --port, --http-port, --https-port, --no-demo, -d and -y are for an instance; a name, --context, --wait, --timeout and --json are for a service.',
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
