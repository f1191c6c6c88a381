/**
 * Parses deliveries of git hosts: the event, and the branches with a new head. The rest of the body is ignored.
 * - GitHub, and Gitea and Forgejo, which use its format: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
 * - GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/#push-events
 * - Bitbucket Cloud: https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push
 * - Bitbucket Data Center: https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html
 */
import { z } from 'zod';
import { readJson } from '../values/json-text.ts';
import { isSameRepository } from './git-source.ts';
import { isChosen } from './path-patterns.ts';

/** A branch or tag that a push changed. */
export interface RefChange {
  /** The full name, such as `refs/heads/main`. */
  ref: string;
  /** Its new commit; `null` if it was deleted. */
  commitSha: string | null;
  /** The message of the new commit; undefined: the git host does not send it. */
  message?: string | undefined;
  /** Name of the person who pushed; undefined: the git host names nobody. */
  author?: string | undefined;
  /** The paths that the push changed; undefined: the delivery does not list all of them. */
  paths?: string[] | undefined;
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

/** The names that git hosts give to a person, the one for people first. Nothing depends on it: an odd value counts as absent. */
const nameSchema = z.string().trim().min(1).optional().catch(undefined);
const personSchema = z
  .object({
    ...{ full_name: nameSchema, display_name: nameSchema, displayName: nameSchema },
    ...{ name: nameSchema, login: nameSchema, username: nameSchema, nickname: nameSchema },
  })
  .transform((one) => Object.values(one).find((name) => name !== undefined))
  .nullish()
  .catch(null);

/** Characters of a stored name. */
const authorMax = 100;
const authorOf = (...names: (string | null | undefined)[]): string | undefined =>
  names.find((name) => name)?.slice(0, authorMax);

const pathList = z.array(z.string()).nullish();
const commitOfPush = z.object({
  id: z.string(),
  message: z.string().nullish(),
  ...{ added: pathList, removed: pathList, modified: pathList },
});
/** Nothing of it decides which commit is deployed: an odd value counts as absent. */
const detailsOfPush = z.object({
  created: z.boolean().nullish().catch(null),
  forced: z.boolean().nullish().catch(null),
  before: z.string().nullish().catch(null),
  head_commit: commitOfPush.pick({ id: true, message: true }).nullish().catch(null),
  commits: z.array(commitOfPush).nullish().catch(null),
  /** GitLab lists 20 of them. */
  total_commits_count: z.number().nullish().catch(null),
  /** GitHub, Gitea and Forgejo. */
  pusher: personSchema,
  /** GitLab. */
  ...{ user_name: nameSchema, user_username: nameSchema },
  /** Gitea and Forgejo. */
  total_commits: z.number().nullish().catch(null),
});

const refPush = detailsOfPush
  .extend({ ref: z.string(), after: commitSchema })
  .transform(({ ref, after, ...details }): RefChange[] => {
    const { head_commit: head, commits } = details;
    const newest = [head, ...(commits ?? [])].find((commit) => commit?.id === after);
    return [
      {
        ref,
        commitSha: headOf(after),
        message: newest?.message ?? undefined,
        author: authorOf(details.pusher, details.user_name, details.user_username),
        paths: pathsOf(after, details),
      },
    ];
  });

/** GitHub lists this many commits, and so many files of each (https://docs.github.com/en/webhooks/webhook-events-and-payloads#push). */
const [commitsMax, filesMax] = [2_048, 3_000];

function pathsOf(after: string, details: z.infer<typeof detailsOfPush>): string[] | undefined {
  const { created, forced, before, commits } = details;
  const isNewBranch = created || /^0*$/.test(before ?? '');
  if (isNewBranch || forced || !commits?.some(({ id }) => id === after)) return undefined;
  const total = details.total_commits_count ?? details.total_commits ?? commits.length;
  if (total !== commits.length || total >= commitsMax) return undefined;
  const lists = commits.flatMap(({ added, removed, modified }) => [added, removed, modified]);
  if (lists.some((list) => !list || list.length >= filesMax)) return undefined;
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

const cloudRef = z.object({
  type: z.string(),
  name: z.string(),
  target: z.object({ hash: commitSchema, message: z.string().optional().catch(undefined) }),
});

const cloudPush = z
  .object({
    actor: personSchema,
    push: z.object({
      changes: z.array(
        z.object({ new: cloudRef.nullable(), old: cloudRef.omit({ target: true }).nullable() }),
      ),
    }),
  })
  .transform(({ push, actor }) =>
    push.changes.flatMap((change): RefChange[] => {
      const moved = change.new ?? change.old;
      if (!moved) return [];
      const folder = moved.type === 'tag' ? 'tags' : 'heads';
      const { hash = null, message } = change.new?.target ?? {};
      return [{ ref: `refs/${folder}/${moved.name}`, commitSha: hash, message, author: authorOf(actor) }];
    }),
  );

const dataCenterPush = z
  .object({
    actor: personSchema,
    changes: z.array(z.object({ ref: z.object({ id: z.string() }), toHash: commitSchema })),
    // Since Data Center 7.14: https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html
    toCommit: commitOfPush.pick({ id: true, message: true }).nullish().catch(null),
  })
  .transform(({ changes, toCommit, actor }) =>
    changes.map(({ ref, toHash }): RefChange => {
      const message = toCommit?.id === toHash ? (toCommit.message ?? undefined) : undefined;
      return { ref: ref.id, commitSha: headOf(toHash), message, author: authorOf(actor) };
    }),
  );

interface Dialect {
  /** Header with the name of the event. */
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

/** @returns undefined without a known event header */
export function readGitEvent(headers: Pick<Headers, 'get'>): GitEvent | undefined {
  for (const { event, pushes } of dialects) {
    const name = headers.get(event);
    if (name === null) continue;
    return { name, push: Object.hasOwn(pushes, name) ? pushes[name] : undefined };
  }
  return undefined;
}

/**
 * Parses the body of a delivery: JSON or, if GitHub or Gitea is configured that way, a form with JSON in its field `payload`. The body
 * decides, not its `Content-Type`: `curl -d` calls JSON a form too, and a form escapes the brace with which JSON begins.
 * @throws ApiError `malformed_json`, `invalid_request`
 */
export function readDelivery(text: string): unknown {
  if (text.trimStart().startsWith('{')) return readJson(text);
  return readJson(new URLSearchParams(text).get('payload') ?? text);
}

/** Why an event other than a push deploys nothing, as a sentence for people who look at the delivery. */
export function eventIgnored(name: string, branch: string): string {
  const isTest = name === 'ping' || name === 'diagnostics:ping';
  return isTest
    ? `The webhook works: pushes to the branch "${branch}" are deployed.`
    : `Only pushes are deployed; this event is ${JSON.stringify(name.slice(0, 100))}.`;
}

/** @returns why pushes to the repository of a webhook are not deployed any more; undefined: they are */
export function formerRepository(
  webhook: { repoUrl: string | null },
  service: { kind: string; repoUrl: string },
): string | undefined {
  const isBuilt = service.kind === 'git';
  if (isBuilt && (webhook.repoUrl === null || isSameRepository(webhook.repoUrl, service.repoUrl)))
    return undefined;
  const now = isBuilt ? 'another repository: create a webhook for that one' : 'no repository';
  return `The service is no longer built from the repository of this webhook, but from ${now}.`;
}

/**
 * @param patterns the service's `watchPaths`; `null`: each push deploys
 * @returns the new head that a push gives the service's branch, or the reason why there is nothing to deploy
 */
export function pushedHead(
  changes: readonly RefChange[],
  { branch, patterns }: { branch: string; patterns: readonly string[] | null },
): { commitSha: string; author: string | undefined; message: string | undefined } | { ignored: string } {
  // A push can contain a branch more than once; the last change counts.
  const change = changes.findLast(({ ref }) => ref === `refs/heads/${branch}`);
  if (!change)
    return { ignored: `The service deploys the branch "${branch}"; this push is to another branch.` };
  const { commitSha, author, message } = change;
  if (commitSha === null) return { ignored: `The push deletes the branch "${branch}".` };
  const ignored = skippedBy(change.message) ?? unwatched(change.paths, patterns);
  return ignored === undefined ? { commitSha, author, message } : { ignored };
}

/** As git hosts know them: https://docs.github.com/en/actions/managing-workflow-runs/skipping-workflow-runs */
const skipWords = /\[(?:(?:skip|no)[ -](?:ci|actions|longshore)|(?:ci|actions|longshore)[ -]skip)\]/i;
const skipTrailer = /^skip-checks: *true$/im;

/** @returns why a commit with this message is not deployed; undefined: nothing in it keeps it from that */
export function skippedBy(message: string | undefined): string | undefined {
  const [words] = skipWords.exec(message ?? '') ?? skipTrailer.exec(message ?? '') ?? [];
  if (words === undefined) return undefined;
  return `The message of the newest commit says "${words}". Push another commit, or deploy the service by hand.`;
}

/** Patterns are tried on so many paths at most; a push that changes more deploys. */
const watchedPathsMax = 1_000;

/** @returns why a push that changed these paths is not deployed; undefined: it is, as is a push whose paths are not known */
export function unwatched(
  paths: readonly string[] | undefined,
  patterns: readonly string[] | null,
): string | undefined {
  if (patterns === null || paths === undefined || paths.length > watchedPathsMax) return undefined;
  if (paths.some((path) => isChosen(patterns, path))) return undefined;
  return `No changed file matches "watchPaths" of the service; files changed: ${paths.length}.`;
}
