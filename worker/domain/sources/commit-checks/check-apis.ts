/** The APIs of git hosts that tell the checks and statuses of a commit. */
import { z } from 'zod';
import type { StatusApi } from '../commit-status/status-apis.ts';
import { gitHubApiOf } from '../github-app.ts';
import { type Check, isOwnStatus } from './commit-checks.ts';

/** The place of a commit at its git host. */
export interface CommitPlace {
  /** `git.example.com:3000` */
  host: string;
  /** `owner/repo`; longer at GitLab, and at hosts with a path of their own before it. */
  repository: string;
  sha: string;
}

/** One list of checks, in pages. */
export interface CheckList {
  /** @param page from 1 */
  url(page: number): string;
  /** What a full page has: it may have a successor. */
  perPage: number;
  /** A page. @throws ZodError for an answer of another form */
  read(body: unknown): { found: number; checks: Check[] };
}

export interface CheckApi {
  headers(token: string): Record<string, string>;
  lists(place: CommitPlace): CheckList[];
}

/** A list of more than 3 pages is not read to its end. */
export const pagesMax = 3;

const text = z.string().max(2_000);
const perPage = 100;

/** Statuses of which `name` and `state` are known, without Longshore's own. */
const statusesOf = <Row extends { name: string; state: string }>(
  rows: readonly Row[],
  resultOf: (row: Row) => Check['result'],
) => ({
  found: rows.length,
  checks: rows
    .filter(({ name }) => !isOwnStatus(name))
    .map((row) => ({ name: row.name, state: row.state, result: resultOf(row) })),
});

const gitHubConclusions: ReadonlySet<string | null> = new Set(['success', 'neutral', 'skipped']);
const checkRunsPage = z.object({
  check_runs: z.array(z.object({ name: text, status: text, conclusion: text.nullable() })),
});
const checkSuitesPage = z.object({
  check_suites: z.array(
    z.object({
      status: text.nullable(),
      latest_check_runs_count: z.number().optional(),
      app: z.object({ slug: text.optional(), name: text }).nullable(),
    }),
  ),
});
const combinedStatus = z.object({ statuses: z.array(z.object({ context: text, state: text })) });

/**
 * - https://docs.github.com/en/rest/checks/runs#list-check-runs-for-a-git-reference: the newest run of each check; `conclusion` is null until
 *   `status` is `completed`
 * - https://docs.github.com/en/rest/checks/suites#list-check-suites-for-a-git-reference: a workflow's jobs that need others have no run yet when those have
 *   ended, but their suite has not ended. An app that may write checks has a suite for every commit, mostly without a run
 * - https://docs.github.com/en/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
 */
const github: CheckApi = {
  headers: (token) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  lists({ host, repository, sha }) {
    const base = `${gitHubApiOf(host)}/repos/${repository}/commits/${sha}`;
    const list = (name: string, read: CheckList['read']): CheckList => ({
      url: (page) => `${base}/${name}?per_page=${perPage}&page=${page}`,
      perPage,
      read,
    });
    return [
      list('check-runs', (body) =>
        statusesOf(
          checkRunsPage.parse(body).check_runs.map(({ name, status, conclusion }) => ({
            name,
            isOver: status === 'completed',
            state: status === 'completed' ? (conclusion ?? 'without a conclusion') : status,
          })),
          ({ isOver, state }) => (!isOver ? 'pending' : gitHubConclusions.has(state) ? 'green' : 'red'),
        ),
      ),
      list('check-suites', (body) => {
        const suites = checkSuitesPage.parse(body).check_suites;
        const open = suites.filter(
          ({ status, latest_check_runs_count: runs = 0, app }) =>
            status !== null && status !== 'completed' && (runs > 0 || app?.slug === 'github-actions'),
        );
        const rows = open.map(({ status, app }) => ({ name: app?.name ?? 'a suite', state: status ?? '' }));
        return { ...statusesOf(rows, () => 'pending'), found: suites.length };
      }),
      list('status', (body) =>
        statusesOf(
          combinedStatus.parse(body).statuses.map(({ context, state }) => ({ name: context, state })),
          ({ state }) => (state === 'success' ? 'green' : state === 'pending' ? 'pending' : 'red'),
        ),
      ),
    ];
  },
};

const gitLabPending: ReadonlySet<string> = new Set([
  ...['created', 'waiting_for_resource', 'waiting_for_callback', 'preparing', 'pending', 'running'],
  ...['manual', 'scheduled', 'canceling'],
]);
const gitLabStatuses = z.array(
  z.object({ name: text, status: text, allow_failure: z.boolean().nullish().catch(null) }),
);

/**
 * https://docs.gitlab.com/api/commits/#list-the-statuses-of-a-commit: the newest of each name, jobs and statuses of others. A job that is
 * allowed to fail blocks nothing (https://docs.gitlab.com/ci/yaml/#allow_failure), nor does an optional manual job, which has the same field.
 */
const gitlab: CheckApi = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  lists: ({ host, repository, sha }) => [
    {
      url: (page) =>
        `https://${host}/api/v4/projects/${encodeURIComponent(repository)}/repository/commits/${sha}/statuses?per_page=${perPage}&page=${page}`,
      perPage,
      read: (body) =>
        statusesOf(
          gitLabStatuses.parse(body).map((row) => ({ ...row, state: row.status })),
          ({ state, allow_failure }) => {
            if (state === 'success' || state === 'skipped') return 'green';
            const isPending = gitLabPending.has(state);
            if (allow_failure && (!isPending || state === 'manual')) return 'green';
            return isPending ? 'pending' : 'red';
          },
        ),
    },
  ],
};

const giteaStatuses = z.object({
  statuses: z.array(z.object({ context: text, status: text })).nullable(),
});
/** The usual `MAX_RESPONSE_ITEMS` of a server: https://docs.gitea.com/administration/config-cheat-sheet#api-api */
const giteaPerPage = 50;

/**
 * Gitea and Forgejo: https://docs.gitea.com/api/next/#tag/repository/operation/repoGetCombinedStatusByRef, the newest of each context. A
 * warning is red, because the host ranks it below a status that is pending.
 */
const gitea: CheckApi = {
  headers: (token) => ({ authorization: `token ${token}` }),
  lists({ host, repository, sha }) {
    const parts = repository.split('/');
    const base = [host, ...parts.slice(0, -2)].join('/');
    return [
      {
        url: (page) =>
          `https://${base}/api/v1/repos/${parts.slice(-2).join('/')}/commits/${sha}/status?limit=${giteaPerPage}&page=${page}`,
        perPage: giteaPerPage,
        read: (body) =>
          statusesOf(
            (giteaStatuses.parse(body).statuses ?? []).map(({ context, status }) => ({
              name: context,
              state: status,
            })),
            ({ state }) => {
              if (state === 'success' || state === 'skipped') return 'green';
              return state === 'pending' ? 'pending' : 'red';
            },
          ),
      },
    ];
  },
};

const bitbucketStatuses = z.object({
  values: z.array(z.object({ key: text, name: text.nullish(), state: text })),
});

/**
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/#api-repositories-workspace-repo-slug-commit-commit-statuses-get
 */
const bitbucket: CheckApi = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  lists: ({ host, repository, sha }) => [
    {
      url: (page) =>
        `https://api.${host}/2.0/repositories/${repository}/commit/${sha}/statuses?pagelen=${perPage}&page=${page}`,
      perPage,
      read: (body) => {
        const rows = bitbucketStatuses.parse(body).values;
        const others = rows.filter(({ key }) => !isOwnStatus(key));
        const named = others.map(({ key, name, state }) => ({ name: name || key, state }));
        const resultOf = ({ state }: { state: string }) =>
          state === 'SUCCESSFUL' ? 'green' : state === 'INPROGRESS' ? 'pending' : 'red';
        return { ...statusesOf(named, resultOf), found: rows.length };
      },
    },
  ],
};

export const checkApis: Readonly<Record<StatusApi, CheckApi>> = { github, gitlab, gitea, bitbucket };

const knownHosts: Readonly<Record<string, StatusApi>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

/** The API of a public git host; undefined for all others, whose credential names it (`commitStatus`). */
export const apiOfHost = (host: string): StatusApi | undefined =>
  host.endsWith('.ghe.com') ? 'github' : knownHosts[host];
