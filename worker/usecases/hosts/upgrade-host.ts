import { hostUpgradeAnswerSchema } from '../../../protocol/host-request.ts';
import { ApiError } from '../../domain/errors.ts';
import type { RunnerRow } from '../../store/hosts/runner-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host answers before it downloads anything. */
const answerLimitMs = 10_000;

/**
 * Tells a connected host to install the release that this control plane offers. Its facts report the result later. Its apps are not
 * affected, and the host returns to the previous release if the new one does not connect.
 * @throws ApiError `conflict` for a host that is upgraded by hand, `runner_offline`, `timeout`, `unavailable`
 */
export async function upgradeHost(
  { hubs }: Pick<Dependencies, 'hubs'>,
  { id, name, facts }: Pick<RunnerRow, 'id' | 'name' | 'facts'>,
): Promise<{ started: boolean }> {
  if (!facts.takesUpgrades)
    throw new ApiError(
      'conflict',
      `${name} is upgraded by hand: its runner was set up from a clone or from npm, or has the file /opt/longshore/no-remote-upgrades. Run "longshore-host upgrade" there (docs/operate/upgrades.md).`,
    );
  const answer = await hubs.request(id, { op: 'upgrade' }, answerLimitMs);
  if (!answer.ok) throw new ApiError('unavailable', `${name} could not begin: ${answer.message}`);
  const parsed = hostUpgradeAnswerSchema.safeParse(answer.value);
  if (parsed.success) return parsed.data;
  throw new ApiError('unavailable', `The answer of ${name} was not understood.`);
}
