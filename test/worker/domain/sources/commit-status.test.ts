/** The requests that the APIs of git hosts document. */
import { expect, test } from 'vitest';
import {
  type CommitState,
  commitStates,
  repositoryOf,
} from '../../../../worker/domain/sources/commit-status/commit-status.ts';
import {
  type StatusApi,
  statusApis,
  statusRequest,
} from '../../../../worker/domain/sources/commit-status/status-apis.ts';

const sha = 'a'.repeat(40);
const status = (state: CommitState, host = 'git.example.com') => ({
  ...{ host, repository: 'team/app', sha, state, context: 'longshore/shop/web' },
  ...{ description: 'x'.repeat(1_000), url: 'https://shop.example.com' },
});

test.each<[StatusApi, string, string, object]>([
  [
    'github',
    'github.com',
    `https://api.github.com/repos/team/app/statuses/${sha}`,
    { authorization: 'Bearer t' },
  ],
  ['github', 'ghe.example.com', `https://ghe.example.com/api/v3/repos/team/app/statuses/${sha}`, {}],
  ['gitlab', 'gitlab.com', `https://gitlab.com/api/v4/projects/team%2Fapp/statuses/${sha}`, {}],
  ['gitea', 'git.example.com:3000', `https://git.example.com:3000/api/v1/repos/team/app/statuses/${sha}`, {}],
  [
    'bitbucket',
    'bitbucket.org',
    `https://api.bitbucket.org/2.0/repositories/team/app/commit/${sha}/statuses/build`,
    {},
  ],
])('%s at %s is asked at %s', (api, host, url, headers) => {
  expect(statusRequest(api, status('running', host), 't')).toMatchObject({ url, headers });
});

test.each<[StatusApi, string[]]>([
  ['github', ['pending', 'pending', 'success', 'failure', 'error', 'error', 'pending', 'failure']],
  ['gitlab', ['pending', 'running', 'success', 'failed', 'canceled', 'canceled', 'pending', 'failed']],
  ['gitea', ['pending', 'pending', 'success', 'failure', 'error', 'error', 'pending', 'failure']],
  [
    'bitbucket',
    ['INPROGRESS', 'INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED', 'STOPPED', 'INPROGRESS', 'FAILED'],
  ],
])('%s gets a state of its own list', (api, states) => {
  const sent = commitStates.map(
    (state) => (statusRequest(api, status(state), 't').body as { state: string }).state,
  );
  expect(sent).toEqual(states);
});

test.each(statusApis)('%s gets no description longer than it takes', (api) => {
  const { description } = statusRequest(api, status('failed'), 't').body as { description: string };
  expect(description.length).toBeLessThanOrEqual(api === 'github' ? 140 : 255);
});

test.each(statusApis)(
  '%s gets a description that is text, also where it is cut within a character',
  (api) => {
    for (const text of [`${'x'.repeat(139)}😀`.repeat(2), `${'x'.repeat(254)}😀`, 'half \ud83d of one']) {
      const { description } = statusRequest(api, { ...status('failed'), description: text }, 't').body as {
        description: string;
      };
      expect(description.isWellFormed()).toBe(true);
      expect(description).not.toMatch(/x\ufffd$/);
    }
  },
);

test('services of two projects have two keys at Bitbucket, however long their names are', () => {
  const keyOf = (project: string) => {
    const context = `longshore/${project}/${'storefront-'.repeat(4)}`;
    return (statusRequest('bitbucket', { ...status('running'), context }, 't').body as { key: string }).key;
  };
  const keys = ['staging', 'production', 'test'].map(keyOf);
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(40);
});

test.each([
  ['https://github.com/team/app', 'team/app'],
  ['https://github.com/team/app.git/', 'team/app'],
  ['https://gitlab.com/group/sub/app.git', 'group/sub/app'],
  ['https://git.example.com/app.git', undefined],
  ['container-image', undefined],
])('the repository of %s is %s', (url, repository) => {
  expect(repositoryOf(url)).toBe(repository);
});
