/** `abort`: stops a deployment before its version gets traffic. */
import { buildCommand } from '../base/command.ts';
import { Failure, usageFailure } from '../base/failure.ts';
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
    'Abort a deployment that is queued or building',
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
    const reply = await session.client.call('POST /api/deployments/:deploymentId/abort', {
      params: { deploymentId },
    });
    session.output.answer({ ...reply, deploymentId }, () => deploymentId);
    session.output.progress(`To see how it ends: longshore logs -f --deployment ${deploymentId}`);
  },
});

/** The only unfinished deployment of the service. @throws Failure if there is none, or (usage) more than one */
async function unfinished(session: Session, flags: ServiceFlags, target?: string): Promise<string> {
  const found = await session.find(flags, target);
  const { deployments } = await session.client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId: found.service.id },
  });
  const open = deployments.filter(({ status }) => status === 'queued' || status === 'building');
  const [first, ...more] = open;
  if (first === undefined)
    throw new Failure(
      `No deployment of ${pathOf(found)} is queued or building. Go back to the version before: longshore rollback ${pathOf(found)}`,
      { code: 'nothing_to_abort' },
    );
  if (more.length === 0) return first.id;
  const named = open.map(({ id, status }) => `${id} (${status})`).join(', ');
  throw usageFailure(`Several deployments are unfinished. Name one with --deployment: ${named}`);
}
