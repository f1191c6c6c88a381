/** `abort`: stops a deployment before its version gets traffic. */
import { buildCommand } from '../base/command.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import { readAwaitedPush } from '../deployments/awaited-push.ts';
import { pathOf } from '../names/find.ts';
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
} from '../session.ts';

interface AbortFlags extends ServiceFlags {
  deployment?: string;
}

export const abort = buildCommand({
  docs: about(
    'Abort a deployment that is queued or building, or a push that waits for checks',
    'The live version keeps serving. If the new version already gets traffic, the deployment can no longer be aborted: roll it back.',
  ),
  parameters: {
    flags: { ...serviceFlags, deployment: deploymentFlag('Deployment to abort, if several are unfinished') },
    aliases: serviceAliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: AbortFlags, target?: string) {
    const session = await openSession(this, flags);
    const deploymentId = flags.deployment ?? (await unfinished(session, flags, target));
    if (deploymentId === undefined) return;
    const reply = await session.client.call('POST /api/deployments/:deploymentId/abort', {
      params: { deploymentId },
    });
    session.output.answer({ ...reply, deploymentId }, () => deploymentId);
    session.output.progress(`To see how it ends: longshore logs -f --deployment ${deploymentId}`);
  },
});

/**
 * The only unfinished deployment of the service. Without one, a push that waits for checks is ended.
 * @returns undefined if a push was ended
 * @throws Failure if there is neither, or (usage) more than one deployment
 */
async function unfinished(
  session: Session,
  flags: ServiceFlags,
  target?: string,
): Promise<string | undefined> {
  const found = await session.find(flags, target);
  const { deployments } = await session.client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId: found.service.id },
  });
  const open = deployments.filter(({ status }) => status === 'queued' || status === 'building');
  const [first, ...more] = open;
  if (first === undefined && (await endsPush(session, found.service.id))) return undefined;
  if (first === undefined)
    throw new Failure(
      `No deployment of ${pathOf(found)} is queued or building. Go back to the version before: longshore rollback ${pathOf(found)}`,
      { code: 'nothing_to_abort' },
    );
  if (more.length === 0) return first.id;
  const named = open.map(({ id, status }) => `${id} (${status})`).join(', ');
  throw usageFailure(`Several deployments are unfinished. Name one with --deployment: ${named}`);
}

/** Ends the push that waits for the checks of its commit. @returns false if there is none */
async function endsPush({ client, output }: Session, serviceId: string): Promise<boolean> {
  const awaitedPush = await readAwaitedPush(client, serviceId);
  if (!awaitedPush) return false;
  await client.call('DELETE /api/services/:serviceId/awaited-push', { params: { serviceId } });
  output.answer({ awaitedPush }, () => `The push ${awaitedPush.commitSha.slice(0, 7)} is not deployed.`);
  return true;
}
