/** The oldest runner that this control plane works with (docs/decisions/0076). */
import semver from 'semver';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { ApiError } from '../errors.ts';

/** Never newer than the previous release. Raised by hand. */
const minimumRunner = '0.2.0';

/**
 * Why a host with an outdated runner gets no work, and what to do.
 * @returns null if the runner is new enough; pre-releases of the minimum are
 */
export const upgradeNeeded = ({ version }: Pick<RunnerFacts, 'version'>): string | null =>
  isTooOld(version) ? `Its runner ${isBelow(version)}: upgrade the host (docs/operate/upgrades.md).` : null;

/** A host whose runner is too old does no work until it is upgraded. */
export const withUpgradeNeeded = (facts: RunnerFacts): RunnerFacts => ({
  ...facts,
  trouble: upgradeNeeded(facts) ?? facts.trouble,
});

/** @throws ApiError `conflict` for a runner that is too old */
export function assertNewEnough({ version }: RunnerFacts): void {
  if (!isTooOld(version)) return;
  throw new ApiError(
    'conflict',
    `This runner ${isBelow(version)}: install the release of this control plane (docs/operate/hosts.md).`,
  );
}

const isTooOld = (version: string) => semver.lt(semver.parse(version) ?? '0.0.0', `${minimumRunner}-0`);

const isBelow = (version: string) =>
  `has the version ${version}, and this control plane works with ${minimumRunner} and newer`;
