/** Deliveries of git hosts: bodies like the examples in their documentation, signed as each host signs them. */

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
  /** Differs between two pushes; a repeated delivery has the same value. */
  pushedAt?: number;
  /** Of the head. */
  message?: string;
  /** Paths that each commit of the push changed, oldest first; the last one is the head. */
  changed?: string[][];
  /** Fields of the body in place of its own. */
  details?: Record<string, unknown>;
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

const usualMessage = 'Fix the greeting: ünïcode, "quotes" \\ and a\nsecond line';

/** Each kind of change in turn. */
function commits(sha: string, { message, changed = [['a.txt']] }: PushFields) {
  return changed.map((paths, index) => {
    const isHead = index === changed.length - 1;
    const kinds = (kind: number) => paths.filter((_, place) => place % 3 === kind);
    const id = isHead ? sha : String(index + 1).padStart(40, 'e');
    return {
      ...commit(id, isHead ? message : 'An earlier commit [skip ci]'),
      ...{ added: kinds(0), modified: kinds(1), removed: kinds(2) },
    };
  });
}

const commit = (id: string, message = usualMessage) => ({
  id,
  message,
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
    commits: deleted ? [] : commits(sha, fields),
    head_commit: deleted ? null : commit(sha, fields.message),
    repository: { id: 186853002, full_name: 'octo/app', default_branch: 'main', pushed_at: pushedAt },
    pusher: { name: 'octo', email: 'octo@example.com' },
    sender: { login: 'octo', id: 21031067, type: 'User' },
    ...fields.details,
  });
  return gitHub(secret, 'push', body, deliveryId);
}

/** Any event of GitHub. It also has a SHA-1 signature, for receivers from before 2020. */
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
export function gitLabPush(fields: PushFields = {}): Delivery {
  const { branch = 'main', sha = headSha, deliveryId } = fields;
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
    commits: commits(sha, fields),
    total_commits_count: fields.changed?.length ?? 4,
    ...fields.details,
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

/** https://forgejo.org/docs/latest/user/webhooks: Gitea and Forgejo also send the headers and signatures of their predecessors. */
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
    commits: commits(sha, fields).reverse(),
    total_commits: fields.changed?.length ?? 1,
    head_commit: commit(sha, fields.message),
    repository: { id: 140, full_name: 'octo/app', default_branch: 'main' },
    pusher: { id: 1, login: 'octo' },
    sender: { id: 1, login: 'octo' },
    ...fields.details,
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

const cloudBranch = (name: string, hash: string, type = 'branch', message = 'new commit message\n') => ({
  type,
  name,
  target: { type: 'commit', hash, message, date: '2026-11-21T09:00:00+00:00' },
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
        {
          new: isClosed ? null : cloudBranch(branch, sha, type, fields.message),
          old,
          closed: isClosed,
          forced: false,
        },
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
    toCommit: { ...commit(sha, fields.message), displayId: sha.slice(0, 10) },
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
