/** `volumes move`: moves a service with its volumes to another host. */
import { buildCommand } from '../../base/command.ts';
import { confirm } from '../../base/prompts.ts';
import { findHost } from '../../data/hosts.ts';
import { followDeployment } from '../../deployments/follow.ts';
import { pathOf } from '../../names/find.ts';
import { hostNames } from '../../proposals.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceFlags,
  switchFlag,
} from '../../session.ts';
import { timeoutFlag } from '../releases.ts';

interface MoveFlags extends ServiceFlags {
  'dry-run': boolean;
  wait: boolean;
  timeout?: number;
  yes: boolean;
}

export const move = buildCommand({
  docs: about(
    'Move a service with volumes to another host',
    'First it shows for how long the service will not answer, and asks. If a step fails, the service starts again on its old host.',
    'longshore volumes move host-2 -s shop --wait',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      'dry-run': switchFlag('Show what would happen, and change nothing'),
      wait: switchFlag('Follow the log; the exit code tells how it ended'),
      timeout: timeoutFlag,
      yes: switchFlag('Do not ask for confirmation'),
    },
    aliases: { ...aliases, w: 'wait', y: 'yes' },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Name or id of the host',
          parse: String,
          placeholder: 'host',
          proposeCompletions: hostNames,
        },
      ],
    },
  },
  async func(this: CommandLine, flags: MoveFlags, host: string) {
    const session = await openSession(this, flags);
    const found = await session.find(flags);
    const { id: runnerId } = await findHost(session, host);
    const request = (dryRun: boolean) =>
      session.client.call('POST /api/services/:serviceId/move', {
        params: { serviceId: found.service.id },
        body: { runnerId, dryRun },
      });
    const plan = await request(true);
    if (flags['dry-run']) return session.output.answer(plan, () => plan.detail);
    session.output.progress(plan.detail);
    await confirm(this.process, `Move ${pathOf(found)} now?`, flags.yes);
    const reply = await request(false);
    if (!reply.deployment) return;
    if (flags.wait) {
      const { timeout: timeoutSeconds } = flags;
      return followDeployment(session, reply.deployment, { process: this.process, timeoutSeconds });
    }
    const { id } = reply.deployment;
    session.output.answer(reply, () => id);
    session.output.progress(`Started. Follow it: longshore logs -f --deployment ${id}`);
  },
});
