/** Deployments of a service: deploy, list, roll back, restart, stop. */

import type { Deployment } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { durationFlag } from '../base/duration.ts';
import { usageFailure } from '../base/failure.ts';
import { table } from '../base/table.ts';
import { awaitedPushText, readAwaitedPush } from '../deployments/awaited-push.ts';
import { followDeployment } from '../deployments/follow.ts';
import { versionBefore } from '../deployments/version-before.ts';
import { initiatorText } from '../names/initiator.ts';
import { deploymentFlag } from '../proposals.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceArgument,
  serviceFlags,
  switchFlag,
  textFlag,
  wholeNumber,
} from '../session.ts';

export interface WaitFlags extends ServiceFlags {
  wait: boolean;
  timeout?: number;
}

/** Flags of commands that start a deployment. */
export const timeoutFlag = durationFlag(
  'Stop waiting after this time (exit code 4); the deployment continues',
);

export const waitFlags = {
  ...serviceFlags,
  wait: switchFlag('Follow the log; the exit code tells how it ended'),
  timeout: timeoutFlag,
} as const;

export const aliases = { ...serviceAliases, w: 'wait' } as const;

/** A command that starts a deployment of a service and, with `--wait`, follows it. */
const starting = (
  docs: { brief: string; fullDescription?: string },
  start: (session: Session, serviceId: string) => Promise<{ deployment: Deployment }>,
) =>
  buildCommand({
    docs,
    parameters: { flags: waitFlags, aliases, positional: serviceArgument },
    async func(this: CommandLine, flags: WaitFlags, target?: string) {
      const session = await openSession(this, flags);
      const { service } = await session.find(flags, target);
      await tellStarted(this, session, flags, await start(session, service.id));
    },
  });

/** With `--wait`, follows the deployment; else prints how to follow it. */
export async function tellStarted(
  { process }: CommandLine,
  session: Session,
  { wait, timeout }: WaitFlags,
  { deployment }: { deployment: Deployment },
): Promise<void> {
  if (wait) return followDeployment(session, deployment, { process, timeoutSeconds: timeout });
  session.output.answer({ deployment }, () => deployment.id);
  session.output.progress(`Queued. Follow it: longshore logs -f --deployment ${deployment.id}`);
}

export const deploy = buildCommand({
  docs: about(
    'Deploy the newest commit or image of a service',
    '--ref deploys exactly this commit (its full id), tag or branch; the next deployment without it builds the branch of the service again. Exit codes with --wait: 0 the new version serves, 1 it failed, 3 it was aborted, 4 --timeout has passed. Ctrl-C stops waiting; the deployment continues.',
    'longshore deploy web --ref v1.4.0 --wait',
  ),
  parameters: {
    flags: { ...waitFlags, ref: textFlag('Commit, tag or branch to deploy', 'ref') },
    aliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, { ref, ...flags }: WaitFlags & { ref?: string }, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const started = await session.client.call('POST /api/services/:serviceId/deployments', {
      params: { serviceId: service.id },
      ...(ref === undefined ? {} : { body: { ref } }),
    });
    await tellStarted(this, session, flags, started);
  },
});

export const restart = starting(
  { brief: 'Restart a service with its current variables, without a build' },
  ({ client }, serviceId) => client.call('POST /api/services/:serviceId/restart', { params: { serviceId } }),
);

export const stop = buildCommand({
  docs: { brief: 'Stop a service; keeps its data and settings' },
  parameters: { flags: serviceFlags, aliases: serviceAliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const reply = await session.client.call('POST /api/services/:serviceId/stop', {
      params: { serviceId: service.id },
    });
    session.output.answer(reply, () => `Stopped. Start it again: longshore start ${service.slug}`);
    if (!reply.proxy.ok) session.output.progress(reply.proxy.detail);
  },
});

interface ReleasesFlags extends ServiceFlags {
  limit?: number;
}

export const releases = buildCommand({
  docs: { brief: 'List the deployments of a service, newest first' },
  parameters: {
    flags: {
      ...serviceFlags,
      limit: {
        kind: 'parsed',
        parse: wholeNumber,
        brief: 'Show at most this many',
        optional: true,
        placeholder: 'number',
      },
    },
    aliases: serviceAliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: ReleasesFlags, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const name = 'GET /api/services/:serviceId/deployments';
    const params = { serviceId: service.id };
    const { limit } = flags;
    const reply =
      limit === undefined
        ? await session.client.all(name, { params, query: { limit: 500 } })
        : await session.client.call(name, { params, query: { limit } });
    const rows = reply.deployments.map((one) => [
      one.id,
      one.status,
      one.trigger,
      initiatorText(one.startedBy),
      one.createdAt.slice(0, 19).replace('T', ' '),
      one.commitSha?.slice(0, 8) ?? '-',
      (one.failureMessage ?? one.waitsFor ?? one.commitMessage ?? '').split('\n')[0]?.slice(0, 60) ?? '',
    ]);
    const awaitedPush = await readAwaitedPush(session.client, service.id);
    session.output.answer({ ...reply, awaitedPush }, () =>
      table(
        ['ID', 'STATUS', 'TRIGGER', 'BY', 'CREATED (UTC)', 'COMMIT', ''],
        rows,
        'No deployment yet: longshore deploy',
      ),
    );
    if (awaitedPush) session.output.progress(awaitedPushText(awaitedPush, service.slug));
    if (!service.imageUpdates) return; // a control plane of an earlier release does not have the field
    const { imageUpdate } = await session.client.call('GET /api/services/:serviceId/image-update', {
      params,
    });
    session.output.progress(imageUpdate.summary);
  },
});

interface RollbackFlags extends WaitFlags {
  to?: string;
}

export const rollback = buildCommand({
  docs: about(
    'Go back to an earlier version, without a build',
    'Starts the version that was live before the present one, or the deployment that you give with --to. Restarts do not count. longshore releases lists the deployments.',
  ),
  parameters: {
    flags: {
      ...waitFlags,
      to: deploymentFlag('Id of the deployment'),
    },
    aliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: RollbackFlags, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const { deployments } = await session.client.call('GET /api/services/:serviceId/deployments', {
      params: { serviceId: service.id },
    });
    const deploymentId = flags.to ?? versionBefore(deployments);
    if (deploymentId === undefined)
      throw usageFailure(
        `${service.slug} has no earlier version. Its deployments: longshore releases ${service.slug}`,
      );
    const started = await session.client.call('POST /api/deployments/:deploymentId/rollback', {
      params: { deploymentId },
    });
    await tellStarted(this, session, flags, started);
  },
});
