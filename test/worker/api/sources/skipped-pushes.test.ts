/** Pushes that deploy nothing on purpose: by words in the message of the head, and by the paths that a service watches. */
import { expect, test } from 'vitest';
import {
  bitbucketCloudPush,
  bitbucketServerPush,
  type Delivery,
  giteaPush,
  gitHubPush,
  gitLabPush,
  headSha,
  type PushFields,
  zeros,
} from '../../../support/servers/git-deliveries.ts';
import { createClient, insertKey } from '../../../support/worker/api.ts';
import { insertHostedService } from '../../../support/worker/deployment-rows.ts';

const call = createClient();
const { token } = await insertKey();

type Host = (secret: string, fields: PushFields) => Promise<Delivery>;
const withFiles: Record<string, Host> = {
  GitHub: gitHubPush,
  Gitea: (secret, fields) => giteaPush(secret, 'gitea', fields),
  Forgejo: (secret, fields) => giteaPush(secret, 'forgejo', fields),
  GitLab: async (secret, fields) => {
    const { headers, body } = gitLabPush({ deliveryId: crypto.randomUUID(), ...fields });
    return { headers: { ...headers, 'x-gitlab-token': secret }, body };
  },
};
const withoutFiles: Record<string, Host> = {
  'Bitbucket Cloud': bitbucketCloudPush,
  'Bitbucket Data Center': bitbucketServerPush,
};
const hosts = Object.entries({ ...withFiles, ...withoutFiles });

/** @returns pushes to a service that watches these paths */
async function watching(watchPaths: string[] | null) {
  const { service } = await insertHostedService();
  const patched = await call('PATCH', `/api/services/${service.id}`, { token, body: { watchPaths } });
  expect(patched.status, patched.text).toBe(200);
  expect(patched.body.service.watchPaths).toEqual(watchPaths);
  const { secret } = (await call('POST', `/api/services/${service.id}/webhook`, { token })).body.webhook;
  return async (host: Host, fields: PushFields) => {
    const { headers, body } = await host(secret, fields);
    const reply = await call('POST', `/api/hooks/git/${service.id}`, { raw: body, headers });
    expect(reply.status, reply.text).toBe(200);
    return reply.body as { deployment: object | null; reason: string | null };
  };
}

test.each(hosts)(
  '%s: a push whose newest commit says so is not deployed, with the words as the reason',
  async (_, host) => {
    const push = await watching(null);
    for (const words of [
      '[skip ci]',
      '[CI skip]',
      '[no ci]',
      '[skip actions]',
      '[actions skip]',
      '[skip longshore]',
    ]) {
      const { deployment, reason } = await push(host, { message: `Fix a typo\n\n${words} for now` });
      expect([deployment, reason], words).toEqual([null, expect.stringContaining(words)]);
    }
    expect((await push(host, { message: 'Tidy\n\nskip-checks: true\n' })).deployment).toBeNull();
  },
);

test.each(hosts)(
  '%s: a push that only an earlier commit or other words want to skip is deployed',
  async (_, host) => {
    const push = await watching(null);
    const changed = [['a.ts'], ['b.ts']];
    expect(
      (await push(host, { message: 'Explain how to skip ci [docs]', changed })).deployment,
    ).not.toBeNull();
  },
);

test.each(Object.entries(withFiles))(
  '%s: a push is deployed if any of its commits changed a path that the service watches',
  async (_, host) => {
    const push = await watching(['apps/web/', 'packages/**', '!*.md']);
    const outside = await push(host, { changed: [['docs/a.png', 'apps/api/x.ts'], ['apps/web/readme.md']] });
    expect(outside).toMatchObject({ deployment: null, reason: expect.stringContaining('"watchPaths"') });
    const none = ['x', 'y'];
    for (const changed of [
      [['apps/web/a.ts'], none],
      [[...none, 'packages/ui/removed.ts'], none],
      [['x', 'packages/ui/modified.ts']],
    ])
      expect((await push(host, { changed })).deployment, JSON.stringify(changed)).not.toBeNull();
  },
);

const long = Array.from({ length: 1_001 }, (_, n) => `docs/${n}`);
test.each([
  ['whose list of commits is cut', gitHubPush, { commits: [] }],
  ['of a new branch', gitHubPush, { created: true }],
  ['of a new branch of GitLab', withFiles.GitLab, { before: zeros }],
  ['that was forced', gitHubPush, { forced: true }],
  ['with more commits than GitLab lists', withFiles.GitLab, { total_commits_count: 21 }],
  ['with more commits than Gitea lists', withFiles.Gitea, { total_commits: 40 }],
  ['whose commits are odd', gitHubPush, { commits: [{ id: headSha, message: 5 }], head_commit: 'x' }],
  ['whose files are left out', gitHubPush, { commits: [{ id: headSha, message: 'x' }] }],
  [
    'that changes very many files',
    gitHubPush,
    { commits: [{ id: headSha, added: long, removed: [], modified: [] }] },
  ],
] as [string, Host, Record<string, unknown>][])(
  'a push %s is deployed, because nobody knows all that it changed',
  async (_, host, details) => {
    const push = await watching(['apps/web/']);
    expect((await push(host, { changed: [['manual/a.md']], details })).deployment).not.toBeNull();
  },
);

test.each(Object.entries(withoutFiles))(
  '%s: a push is deployed whatever the service watches, because deliveries list no files',
  async (_, host) => {
    const push = await watching(['apps/web/']);
    expect((await push(host, {})).deployment).not.toBeNull();
  },
);

test.each([
  [[], 'at least one pattern'],
  [['a[bc]'], 'watchPaths[0]'],
  [['ok', '!'], 'watchPaths[1]'],
  [['x'.repeat(201)], 'at most 200'],
  [Array.from({ length: 51 }, (_, n) => `p${n}`), 'at most 50'],
])('the watch paths %j are refused', async (watchPaths, problem) => {
  const { service } = await insertHostedService();
  const { status, text } = await call('PATCH', `/api/services/${service.id}`, {
    token,
    body: { watchPaths },
  });
  expect([status, text]).toEqual([400, expect.stringContaining(problem)]);
});
