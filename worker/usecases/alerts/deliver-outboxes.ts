import type { Dependencies } from '../dependencies.ts';
import type { GitHubNeeds } from '../sources/installation-token.ts';
import { deliverCommitStatuses } from './deliver-commit-statuses.ts';
import { deliverEvents } from './deliver-events.ts';
import { deliverNotifications } from './deliver-notifications.ts';

type Needs = Pick<Dependencies, 'db' | 'webhookPosts' | 'mails' | 'newId'> & GitHubNeeds;

/** Sends due messages to the event webhook, to notification channels and to git hosts. A failure of one does not delay the others. */
export async function deliverOutboxes(deps: Needs): Promise<void> {
  const ends = await Promise.allSettled([
    deliverEvents(deps),
    deliverNotifications(deps),
    deliverCommitStatuses(deps),
  ]);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}
