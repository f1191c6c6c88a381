/** `explain`: why a service does not work, or why a deployment or a command failed. */

import { LongshoreError } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { Failure, usageFailure } from '../base/failure.ts';
import { printableText } from '../base/output.ts';
import { type Explanation, explanationText } from '../deployments/follow.ts';
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
  textFlag,
} from '../session.ts';

interface ExplainFlags extends ServiceFlags {
  deployment?: string;
  run?: string;
}

export const explain = buildCommand({
  docs: about(
    'Explain why a service crashes, or why a deployment or a command failed',
    'Without --deployment and --run it checks whether the live version has crashed, then the newest deployment, then the newest command. longshore cron runs NAME shows the ids of commands that a schedule has started.',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      deployment: deploymentFlag('Explain this deployment'),
      run: textFlag('Explain this command, which longshore run or a schedule has started', 'id'),
    },
    aliases: serviceAliases,
    positional: serviceArgument,
  },
  async func(this: CommandLine, flags: ExplainFlags, target?: string) {
    if (flags.deployment !== undefined && flags.run !== undefined)
      throw usageFailure('Give either --deployment or --run, not both.');
    const session = await openSession(this, flags);
    const { what, explanation } = await explained(session, flags, target);
    session.output.answer({ what, explanation }, () =>
      printableText([what, ...proofOf(explanation), explanationText(explanation)].join('\n'), false),
    );
  },
});

/** What answers meanwhile, and the lines of the log around the error, which is marked. The control plane of the release before says neither. */
function proofOf({ serving, lines = [] }: Partial<Explanation>): string[] {
  const marked = lines.map(({ text, isError }) => `${isError ? '>' : ' '} ${text}`);
  if (serving === undefined) return marked;
  if (serving === null) return ['Nothing is serving.', ...marked];
  return [
    `${serving.commit?.slice(0, 7) ?? serving.deploymentId} keeps serving, since ${serving.since}.`,
    ...marked,
  ];
}

interface Explained {
  /** Describes what failed; the first line of the text. */
  what: string;
  explanation: Explanation;
}

async function explained(
  session: Session,
  { deployment, run, ...flags }: ExplainFlags,
  target?: string,
): Promise<Explained> {
  if (deployment !== undefined) return ofDeployment(session, deployment);
  const { service } = await session.find(flags, target);
  if (run !== undefined) return ofRun(session, service.id, run);
  const found =
    (await ofCrash(session, service)) ??
    (await ofNewestDeployment(session, service.id)) ??
    (await ofNewestRun(session, service.id));
  if (found) return found;
  throw new Failure(
    `Nothing to explain: ${service.name} has not crashed within the last hour, and neither its newest deployment nor its newest command failed. Older ones: longshore explain --deployment ID, or --run ID`,
    { code: 'nothing_failed' },
  );
}

async function ofDeployment({ client }: Session, deploymentId: string): Promise<Explained> {
  const { explanation } = await client.call('POST /api/deployments/:deploymentId/explain-failure', {
    params: { deploymentId },
    body: { tool: 'longshore' },
  });
  return { what: `Deployment ${deploymentId}`, explanation };
}

async function ofRun({ client }: Session, serviceId: string, runId: string): Promise<Explained> {
  const { explanation } = await client.call('POST /api/services/:serviceId/runs/:runId/explain-failure', {
    params: { serviceId, runId },
    body: { tool: 'longshore' },
  });
  return { what: `Command ${runId}`, explanation };
}

/** @returns undefined if nothing is wrong with the live version */
async function ofCrash(
  { client }: Session,
  { id, name }: { id: string; name: string },
): Promise<Explained | undefined> {
  try {
    const { explanation } = await client.call('POST /api/services/:serviceId/explain-crash', {
      params: { serviceId: id },
      body: { tool: 'longshore' },
    });
    return { what: `The live version of ${name}`, explanation };
  } catch (error) {
    if (error instanceof LongshoreError && error.code === 'conflict') return undefined;
    throw error;
  }
}

async function ofNewestDeployment(session: Session, serviceId: string): Promise<Explained | undefined> {
  const { deployments } = await session.client.call('GET /api/services/:serviceId/deployments', {
    params: { serviceId },
    query: { limit: 1 },
  });
  const [newest] = deployments;
  return newest?.status === 'failed' ? ofDeployment(session, newest.id) : undefined;
}

async function ofNewestRun(session: Session, serviceId: string): Promise<Explained | undefined> {
  const { runs } = await session.client.call('GET /api/services/:serviceId/runs', {
    params: { serviceId },
    query: { limit: 1 },
  });
  const [newest] = runs;
  return newest?.status === 'failed' ? ofRun(session, serviceId, newest.id) : undefined;
}
