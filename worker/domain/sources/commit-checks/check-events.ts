/** Events by which git hosts report checks and statuses of commits. They only bring a look at the checks forward. */
import { z } from 'zod';

/**
 * - https://docs.github.com/en/webhooks/webhook-events-and-payloads; Gitea and Forgejo send `status` too
 * - https://docs.gitlab.com/user/project/integrations/webhook_events/
 * - https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/
 */
const checkEvents: ReadonlySet<string> = new Set([
  ...['check_suite', 'check_run', 'status', 'workflow_run', 'workflow_job'],
  ...['Pipeline Hook', 'Job Hook'],
  ...['repo:commit_status_created', 'repo:commit_status_updated'],
]);
export const tellsChecks = (event: string): boolean => checkEvents.has(event);

/** The answer to such an event. */
export const checksNoted = 'Checks of a commit: a push that waits for them is looked at.';

const head = z.object({ head_sha: z.string() }).optional();

/** The commit of an event of GitHub; empty if it names none. */
export const reportedCommitSchema = z
  .object({
    sha: z.string().optional(),
    ...{ check_suite: head, check_run: head, workflow_run: head, workflow_job: head },
  })
  .transform(({ sha, ...of }) => sha ?? Object.values(of).find((one) => one !== undefined)?.head_sha ?? '');
