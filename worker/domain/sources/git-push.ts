/**
 * Parses deliveries of git hosts: the event, and which branches have a new head. The rest of the body is ignored.
 * - GitHub, and in its form Gitea and Forgejo: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
 * - GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/#push-events
 * - Bitbucket Cloud: https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push
 * - Bitbucket Data Center: https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html
 */
import { z } from 'zod';
import { readJson } from '../values/json-text.ts';

/** A branch or tag that a push changed. */
export interface RefChange {
  /** Such as `refs/heads/main`. */
  ref: string;
  /** Its new commit; null: it was deleted. */
  commitSha: string | null;
}

export interface GitEvent {
  /** The git host's name for the event. */
  name: string;
  /** Parses the body of a push; undefined for all other events. */
  push: z.ZodType<RefChange[]> | undefined;
}

/** A SHA-1 or SHA-256 commit id. */
const commitSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a commit id');

/** A deleted ref points to zeros. */
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
  pushes: Readonly<Record<string, z.ZodType<RefChange[]>>>;
}

/** Gitea and Forgejo also send GitHub's headers; their own are listed in case a proxy removes those. */
const dialects: readonly Dialect[] = [
  { event: 'x-github-event', pushes: { push: refPush } },
  { event: 'x-forgejo-event', pushes: { push: refPush } },
  { event: 'x-gitea-event', pushes: { push: refPush } },
  { event: 'x-gitlab-event', pushes: { 'Push Hook': refPush } },
  { event: 'x-event-key', pushes: { 'repo:push': cloudPush, 'repo:refs_changed': dataCenterPush } },
];

/** @returns undefined when no known header names an event. */
export function readGitEvent(headers: Pick<Headers, 'get'>): GitEvent | undefined {
  for (const { event, pushes } of dialects) {
    const name = headers.get(event);
    if (name === null) continue;
    return { name, push: Object.hasOwn(pushes, name) ? pushes[name] : undefined };
  }
  return undefined;
}

/**
 * Parses the body of a delivery: JSON or, from a GitHub or Gitea that is set up so, a form with JSON in its field `payload`. The body tells
 * which, not its `Content-Type`: `curl -d` calls JSON a form too, and a form escapes the brace with which JSON begins.
 * @throws ApiError `malformed_json`, `invalid_request`
 */
export function readDelivery(text: string): unknown {
  if (text.trimStart().startsWith('{')) return readJson(text);
  return readJson(new URLSearchParams(text).get('payload') ?? text);
}

/** Why an event other than a push deploys nothing: a sentence for the person who looks at the delivery. */
export function eventIgnored(name: string, branch: string): string {
  const isTest = name === 'ping' || name === 'diagnostics:ping';
  return isTest
    ? `The webhook works: pushes to the branch "${branch}" are deployed.`
    : `Only pushes are deployed; this event is ${JSON.stringify(name.slice(0, 100))}.`;
}

/** The new head that a push gives the service's branch, or why there is nothing to deploy. */
export function pushedHead(
  changes: readonly RefChange[],
  branch: string,
): { commitSha: string } | { ignored: string } {
  // A push can name a branch more than once; the last change counts.
  const change = changes.findLast(({ ref }) => ref === `refs/heads/${branch}`);
  if (!change)
    return { ignored: `The service deploys the branch "${branch}"; this push is to another branch.` };
  const { commitSha } = change;
  return commitSha === null ? { ignored: `The push deletes the branch "${branch}".` } : { commitSha };
}
