import { type CommitState, type CommitStatus, cutTo, type StatusRequest } from './commit-status.ts';

const states = {
  queued: 'INPROGRESS',
  building: 'INPROGRESS',
  running: 'SUCCESSFUL',
  failed: 'FAILED',
  aborted: 'STOPPED',
  replaced: 'STOPPED',
} as const satisfies Record<CommitState, string>;

/** Keys have at most 40 characters. */
const keyMax = 40;
const descriptionMax = 255;

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/: `key`, `state` and `url` are required. */
export function bitbucketStatus(status: CommitStatus, token: string): StatusRequest {
  const { host, repository, sha, state, context, description, url } = status;
  return {
    url: `https://api.${host}/2.0/repositories/${repository}/commit/${sha}/statuses/build`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      key: keyOf(context),
      name: context,
      state: states[state],
      description: cutTo(descriptionMax, description),
      url: url ?? `https://${host}/${repository}/commits/${sha}`,
    },
  };
}

/** The end of a long context is the same for services of several projects: a hash of it all (FNV-1a) tells them apart. */
function keyOf(context: string): string {
  if (context.length <= keyMax) return context;
  let hash = 0x811c9dc5;
  for (const char of context) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  const suffix = `-${(hash >>> 0).toString(16).padStart(8, '0')}`;
  return `${context.slice(0, keyMax - suffix.length)}${suffix}`;
}
