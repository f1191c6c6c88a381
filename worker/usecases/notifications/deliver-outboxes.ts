import type { Dependencies } from '../dependencies.ts';
import type { GitHubNeeds } from '../github/installation-token.ts';
import { deliverEvents } from '../instance/deliver-events.ts';
import { deliverCommitStatuses } from './deliver-commit-statuses.ts';
import { deliverNotifications } from './deliver-notifications.ts';

type Needs = Pick<Dependencies, 'db' | 'webhookPosts' | 'mails' | 'newId'> & GitHubNeeds;

/** Sends what is due to the event webhook, to notification channels and to git hosts. One that fails does not hold up the others. */
export async function deliverOutboxes(deps: Needs): Promise<void> {
  const ends = await Promise.allSettled([
    deliverEvents(deps),
    deliverNotifications(deps),
    deliverCommitStatuses(deps),
  ]);
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}
