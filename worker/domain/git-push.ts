/**
 * Deliveries of git hosts, each in its own words: what happened, and which branches have a new head. Of the bodies only that is read.
 * - GitHub, and in its form Gitea and Forgejo: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
 * - GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/#push-events
 * - Bitbucket Cloud: https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push
 * - Bitbucket Data Center: https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html
 */
import { z } from 'zod';

/** A branch or tag that a push moved. */
export interface RefChange {
  /** Such as `refs/heads/main`. */
  ref: string;
  /** What it points at now; null: it was deleted. */
  commitSha: string | null;
}

export interface GitEvent {
  /** The host's word for what happened. */
  name: string;
  /** Reads the body of a push; undefined for all other events. */
  push: z.ZodType<RefChange[]> | undefined;
  /** The same for every attempt to deliver it; null where the host names none. */
  deliveryId: string | null;
}

const deliveryIdPattern = /^[\x21-\x7e]{1,128}$/;
/** SHA-1 or SHA-256. */
const commitSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a commit id');

/** A deleted ref points at zeros. */
function headOf(commitSha: string): string | null {
  return /^0+$/.test(commitSha) ? null : commitSha;
}

const refPush = z
  .object({ ref: z.string(), after: commitSchema })
  .transform(({ ref, after }) => [{ ref, commitSha: headOf(after) }]);

const cloudRef = z.object({
  type: z.string(),
  name: z.string(),
  target: z.object({ hash: commitSchema }),
});

const cloudPush = z
  .object({
    push: z.object({
      changes: z.array(
        z.object({ new: cloudRef.nullable(), old: cloudRef.omit({ target: true }).nullable() }),
      ),
    }),
  })
  .transform(({ push }) =>
    push.changes.flatMap((change): RefChange[] => {
      const moved = change.new ?? change.old;
      if (!moved) return [];
      const folder = moved.type === 'tag' ? 'tags' : 'heads';
      return [{ ref: `refs/${folder}/${moved.name}`, commitSha: change.new?.target.hash ?? null }];
    }),
  );

const dataCenterPush = z
  .object({ changes: z.array(z.object({ ref: z.object({ id: z.string() }), toHash: commitSchema })) })
  .transform(({ changes }) =>
    changes.map(({ ref, toHash }): RefChange => ({ ref: ref.id, commitSha: headOf(toHash) })),
  );

interface Dialect {
  /** Header that names the event. */
  event: string;
  /** Headers that name the delivery; GitLab's event UUID does not: a push that a webhook causes has the one of its cause. */
  delivery: readonly string[];
  pushes: Readonly<Record<string, z.ZodType<RefChange[]>>>;
}

/** Gitea and Forgejo send GitHub's headers as well; they have their own here for who turns those off on the way. */
const dialects: readonly Dialect[] = [
  { event: 'x-github-event', delivery: ['x-github-delivery'], pushes: { push: refPush } },
  { event: 'x-forgejo-event', delivery: ['x-forgejo-delivery'], pushes: { push: refPush } },
  { event: 'x-gitea-event', delivery: ['x-gitea-delivery'], pushes: { push: refPush } },
  { event: 'x-gitlab-event', delivery: ['idempotency-key', 'webhook-id'], pushes: { 'Push Hook': refPush } },
  {
    event: 'x-event-key',
    delivery: ['x-request-uuid', 'x-request-id'],
    pushes: { 'repo:push': cloudPush, 'repo:refs_changed': dataCenterPush },
  },
];

/** @returns undefined when no known header names an event. */
export function readGitEvent(headers: Pick<Headers, 'get'>): GitEvent | undefined {
  for (const { event, delivery, pushes } of dialects) {
    const name = headers.get(event);
    if (name === null) continue;
    const ids = delivery.map((header) => headers.get(header) ?? '');
    const push = Object.hasOwn(pushes, name) ? pushes[name] : undefined;
    return { name, push, deliveryId: ids.find((id) => deliveryIdPattern.test(id)) ?? null };
  }
  return undefined;
}

/** Why an event other than a push deploys nothing: a sentence for who looks at the delivery. */
export function eventIgnored(name: string, branch: string): string {
  const isTest = name === 'ping' || name === 'diagnostics:ping';
  return isTest
    ? `The webhook works: pushes to the branch "${branch}" are deployed.`
    : `Only pushes are deployed, and this is ${JSON.stringify(name.slice(0, 100))}.`;
}

/** What a push means for a service that deploys this branch: its new head, or why there is nothing to deploy. */
export function pushedHead(
  changes: readonly RefChange[],
  branch: string,
): { commitSha: string } | { ignored: string } {
  // One push may name a branch more than once; the last word counts.
  const change = changes.findLast(({ ref }) => ref === `refs/heads/${branch}`);
  if (!change) return { ignored: `The push is not to the branch "${branch}", which the service deploys.` };
  const { commitSha } = change;
  return commitSha === null ? { ignored: `The push deletes the branch "${branch}".` } : { commitSha };
}
