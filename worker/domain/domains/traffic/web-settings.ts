import type { DeploySpec } from '../../../../protocol/job-spec.ts';

/**
 * What only the containers of a web service without volumes have: a version of before may be of another kind, and a volume may have come at
 * the same moment. What is not set is left out, for runners that do not know it.
 */
export const settingsOfWeb = ({
  replicas,
  sleepAfterMinutes,
}: {
  replicas: number;
  sleepAfterMinutes: number | null;
}): Pick<DeploySpec, 'replicas' | 'sleepAfterMinutes'> => ({
  ...(replicas > 1 ? { replicas } : {}),
  ...(sleepAfterMinutes === null ? {} : { sleepAfterMinutes }),
});
