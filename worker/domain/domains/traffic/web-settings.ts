import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import type { StopSettings } from '../../../../protocol/settings/stop-settings.ts';

/** How the versions of a service run and end, whatever they are made of. */
export interface RunSettings {
  replicas: number;
  sleepAfterMinutes: number | null;
  stopSettings: StopSettings | null;
}

/**
 * What only the containers of a web service without volumes have: a version of before may be of another kind, and a volume may have come at
 * the same moment. What is not set is left out, for runners that do not know it.
 */
export const settingsOfWeb = ({
  replicas,
  sleepAfterMinutes,
}: Omit<RunSettings, 'stopSettings'>): Pick<DeploySpec, 'replicas' | 'sleepAfterMinutes'> => ({
  ...(replicas > 1 ? { replicas } : {}),
  ...(sleepAfterMinutes === null ? {} : { sleepAfterMinutes }),
});
