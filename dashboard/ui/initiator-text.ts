import type { Deployment } from '../api/queries.ts';
import { deploymentText, initiatorsText } from '../text/deployment-text.ts';

type Initiator = NonNullable<Deployment['startedBy']>;

/** "Ada", "the key ci", "a push": for a line that says what was started. */
export const initiatorText = ({ type, name }: Initiator): string =>
  name === null ? initiatorsText.unnamed[type] : initiatorsText.named[type](name);

/** "by Ada"; undefined if that was not recorded, and for the schedule of backups, which the trigger already says. */
export function startedByText(initiator: Initiator | null): string | undefined {
  if (initiator === null || (initiator.type === 'schedule' && initiator.name === null)) return undefined;
  return deploymentText.by(initiatorText(initiator));
}
