/** Deliveries as git hosts send them: bodies shaped like the examples of their documentation, signed as each of them signs. */

export const headSha = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
export const zeros = '0'.repeat(40);

export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

export interface PushFields {
  branch?: string;
  ref?: string;
  /** Head after the push; zeros: the branch was deleted. */
  sha?: string;
  deliveryId?: string;
  /** Two pushes differ in it; a delivery that is sent again does not. */
  pushedAt?: number;
}

let pushes = 0;
/** Seconds since the epoch: every push is a new one. */
const nextPush = () => 1_800_000_000 + ++pushes;

async function hmac(key: Uint8Array<ArrayBuffer>, text: string, hash = 'SHA-256'): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(text)));
}

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const hmacHex = async (secret: string, body: string, hash?: string) =>
  hex(await hmac(utf8(secret), body, hash));

/** By the specification: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export async function standardHeaders(
  secret: string,
  body: string,
  { id = 'msg_1', at = Date.now() } = {},
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Uint8Array.from(atob(secret.slice('whsec_'.length)), (char) => char.charCodeAt(0));
  const mac = btoa(String.fromCharCode(...(await hmac(key, `${id}.${timestamp}.${body}`))));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
}

const commit = (id: string) => ({
  id,
  message: 'Fix the greeting: ünïcode, "quotes" \\ and a\nsecond line',
  timestamp: '2026-11-21T09:00:00+00:00',
  url: `https://git.example/octo/app/commit/${id}`,
  author: { name: 'Octo Cat', email: 'octo@example.com', username: 'octo' },
  added: ['a.txt'],
  modified: [],
  removed: [],
});

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#push */
export async function gitHubPush(secret: string, fields: PushFields = {}): Promise<Delivery> {
  const {
    branch = 'main',
    ref = `refs/heads/${branch}`,
    sha = headSha,
    deliveryId = crypto.randomUUID(),
    pushedAt = nextPush(),
  } = fields;
  const deleted = sha === zeros;
  const body = JSON.stringify({
    ref,
    before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
    after: sha,
    created: false,
    deleted,
    forced: false,
    base_ref: null,
    compare: 'https://github.com/octo/app/compare/95790bf891e7...da1560886d4f',
    commits: deleted ? [] : [commit(sha)],
    head_commit: deleted ? null : commit(sha),
    repository: { id: 186853002, full_name: 'octo/app', default_branch: 'main', pushed_at: pushedAt },
    pusher: { name: 'octo', email: 'octo@example.com' },
    sender: { login: 'octo', id: 21031067, type: 'User' },
  });
  return gitHub(secret, 'push', body, deliveryId);
}

/** Any event of GitHub. It signs with SHA-1 as well, for receivers of before 2020. */
export async function gitHub(
  secret: string,
  event: string,
  body: string,
  deliveryId: string = crypto.randomUUID(),
): Promise<Delivery> {
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': event,
      'x-github-delivery': deliveryId,
      'x-github-hook-id': '292430182',
      'x-hub-signature': `sha1=${await hmacHex(secret, body, 'SHA-1')}`,
      'x-hub-signature-256': `sha256=${await hmacHex(secret, body)}`,
    },
    body,
  };
}

/** https://docs.gitlab.com/user/project/integrations/webhook_events/#push-events; without a proof. */
export function gitLabPush({ branch = 'main', sha = headSha, deliveryId }: PushFields = {}): Delivery {
  const project = {
    id: 15,
    name: 'Diaspora',
    git_http_url: 'https://gitlab.example/mike/diaspora.git',
    path_with_namespace: 'mike/diaspora',
    default_branch: 'main',
  };
  const body = JSON.stringify({
    object_kind: 'push',
    event_name: 'push',
    before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
    after: sha,
    ref: `refs/heads/${branch}`,
    ref_protected: true,
    checkout_sha: sha === zeros ? null : sha,
    message: null,
    user_id: 4,
    user_name: 'John Smith',
    project_id: 15,
    project,
    repository: { name: 'Diaspora', url: 'git@gitlab.example:mike/diaspora.git' },
    commits: [commit(sha)],
    total_commits_count: 4,
  });
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitLab/18.0.0',
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-event-uuid': '13792a34-cac6-4fda-95a8-c58e00a3954e',
      'x-gitlab-instance': 'https://gitlab.example',
      'x-gitlab-webhook-uuid': '02affd2d-2cba-4033-917d-ec22d5dc4b38',
      ...(deliveryId === undefined ? {} : { 'idempotency-key': deliveryId }),
    },
    body,
  };
}

/** https://forgejo.org/docs/latest/user/webhooks: Gitea and Forgejo name and sign each delivery in the ways of their forerunners too. */
export async function giteaPush(
  secret: string,
  name: 'gitea' | 'forgejo',
  fields: PushFields = {},
): Promise<Delivery> {
  const { branch = 'main', sha = headSha, deliveryId = crypto.randomUUID() } = fields;
  const body = JSON.stringify({
    ref: `refs/heads/${branch}`,
    before: '28e1879d029cb852e4844d9c718537df08844e03',
    after: sha,
    compare_url: 'https://gitea.example/octo/app/compare/28e1879d029c...da1560886d4f',
    commits: [commit(sha)],
    total_commits: 1,
    head_commit: commit(sha),
    repository: { id: 140, full_name: 'octo/app', default_branch: 'main' },
    pusher: { id: 1, login: 'octo' },
    sender: { id: 1, login: 'octo' },
  });
  return {
    headers: {
      'content-type': 'application/json',
      [`x-${name}-event`]: 'push',
      [`x-${name}-delivery`]: deliveryId,
      [`x-${name}-signature`]: await hmacHex(secret, body),
    },
    body,
  };
}

const cloudBranch = (name: string, hash: string, type = 'branch') => ({
  type,
  name,
  target: { type: 'commit', hash, message: 'new commit message\n', date: '2026-11-21T09:00:00+00:00' },
});

/** https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Push */
export async function bitbucketCloudPush(
  secret: string,
  fields: PushFields & { type?: string } = {},
): Promise<Delivery> {
  const { branch = 'main', sha = headSha, deliveryId = crypto.randomUUID(), type = 'branch' } = fields;
  const old = cloudBranch(branch, '1e65c05c1d5171631d92438a13901ca7dae9618c', type);
  const isClosed = sha === zeros;
  const body = JSON.stringify({
    push: {
      changes: [
        { new: cloudBranch('other', '709d658dc5b6d6afcd46049c2f332ee3f515a67d'), old: null, created: true },
        { new: isClosed ? null : cloudBranch(branch, sha, type), old, closed: isClosed, forced: false },
      ],
    },
    repository: { type: 'repository', full_name: 'octo/app' },
    actor: { type: 'user', nickname: 'octo' },
  });
  return bitbucket(secret, 'repo:push', body, { 'x-request-uuid': deliveryId, 'x-attempt-number': '1' });
}

/** https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html#Eventpayload-Push */
export async function bitbucketServerPush(secret: string, fields: PushFields = {}): Promise<Delivery> {
  const { branch = 'main', sha = headSha, deliveryId = crypto.randomUUID() } = fields;
  const id = `refs/heads/${branch}`;
  const body = JSON.stringify({
    eventKey: 'repo:refs_changed',
    date: '2026-11-21T09:45:32+1000',
    actor: { name: 'admin', id: 1, type: 'NORMAL' },
    repository: { slug: 'app', id: 84, scmId: 'git', project: { key: 'PROJ' } },
    changes: [
      {
        ref: { id, displayId: branch, type: 'BRANCH' },
        refId: id,
        fromHash: 'ecddabb624f6f5ba43816f5926e580a5f680a932',
        toHash: sha,
        type: sha === zeros ? 'DELETE' : 'UPDATE',
      },
    ],
  });
  return bitbucket(secret, 'repo:refs_changed', body, { 'x-request-id': deliveryId });
}

export async function bitbucket(
  secret: string,
  event: string,
  body: string,
  more: Record<string, string> = {},
): Promise<Delivery> {
  return {
    headers: {
      'content-type': 'application/json',
      'x-event-key': event,
      'x-hub-signature': `sha256=${await hmacHex(secret, body)}`,
      ...more,
    },
    body,
  };
}
