/**
 * What git hosts answer to questions about the checks of a commit, in the shape of their documentation, with their pages.
 * - https://docs.github.com/en/rest/checks/runs, https://docs.github.com/en/rest/checks/suites, https://docs.github.com/en/rest/commits/statuses
 * - https://docs.gitlab.com/api/commits/#list-the-statuses-of-a-commit
 * - https://docs.gitea.com/api/next/#tag/repository/operation/repoGetCombinedStatusByRef
 * - https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/
 */

/** A check that CI has reported. Its `state` is in the words of the host; `suite` and `run` exist at GitHub only. */
export interface Reported {
  kind?: 'status' | 'run' | 'suite';
  name: string;
  state: string;
  /** GitLab. */
  allowFailure?: boolean;
  /** Runs of a suite. */
  runs?: number;
}

/** A status that Longshore has written, in the fields of each host. */
export type OwnStatus = { state: string; context?: string; name?: string; key?: string };

interface Facts {
  own: readonly OwnStatus[];
  others: readonly Reported[];
}

/** States in which a check run of GitHub has not ended; all others are conclusions. */
const gitHubOpen = ['queued', 'in_progress', 'waiting', 'requested', 'pending'];

/** @returns undefined for a path that the API does not have */
export function checksAnswer(api: string, url: string, facts: Facts): unknown {
  const { pathname, searchParams } = new URL(url, 'http://host');
  const statuses = [
    ...newest(facts.own, (one) => one.context ?? one.name ?? one.key ?? '').map((one) => ({
      name: one.context ?? one.name ?? '',
      state: one.state,
      allowFailure: false,
    })),
    ...facts.others.filter(({ kind = 'status' }) => kind === 'status'),
  ];
  const page = <Row>(rows: readonly Row[], size: string, sizeMax: number): Row[] => {
    const count = Math.min(Number(searchParams.get(size) ?? 30), sizeMax);
    const number = Number(searchParams.get('page') ?? 1);
    return rows.slice((number - 1) * count, number * count);
  };
  if (api === 'gitlab') {
    if (!/^\/api\/v4\/projects\/team%2Fapp\/repository\/commits\/[0-9a-f]{40}\/statuses$/.test(pathname))
      return undefined;
    return page(statuses, 'per_page', 100).map(({ name, state, allowFailure = false }, index) => ({
      ...{ id: index + 90, sha: 'x', ref: 'main', status: state, name, allow_failure: allowFailure },
      ...{ created_at: '2026-11-30T10:00:00Z', description: null, coverage: null, author: { id: 1 } },
    }));
  }
  if (api === 'gitea') {
    if (!/^(?:\/sub)?\/api\/v1\/repos\/team\/app\/commits\/[0-9a-f]{40}\/status$/.test(pathname))
      return undefined;
    const shown = page(statuses, 'limit', 50).map(({ name, state }, id) => ({
      id,
      context: name,
      status: state,
    }));
    return { state: 'pending', total_count: statuses.length, statuses: shown.length > 0 ? shown : null };
  }
  if (api === 'bitbucket') {
    if (!/^\/2\.0\/repositories\/team\/app\/commit\/[0-9a-f]{40}\/statuses$/.test(pathname)) return undefined;
    const values = page(statuses, 'pagelen', 100).map(({ name, state }) => ({
      type: 'build',
      key: name,
      name,
      state,
    }));
    return { size: statuses.length, pagelen: 100, page: 1, values };
  }
  const [, list] =
    /^(?:\/api\/v3)?\/repos\/(?:team\/app|octocat\/Hello-World)\/commits\/[0-9a-f]{40}\/(check-runs|check-suites|status)$/.exec(
      pathname,
    ) ?? [];
  if (list === 'status')
    return {
      state: 'pending',
      total_count: statuses.length,
      statuses: page(statuses, 'per_page', 100).map(({ name, state }, id) => ({ id, context: name, state })),
    };
  const of = facts.others.filter(({ kind }) => kind === (list === 'check-runs' ? 'run' : 'suite'));
  const shown = page(of, 'per_page', 100).map(({ name, state, runs = 0 }, id) => ({
    ...{ id, status: gitHubOpen.includes(state) ? state : 'completed' },
    conclusion: gitHubOpen.includes(state) ? null : state,
    ...(list === 'check-runs'
      ? { name, app: { slug: 'github-actions', name: 'GitHub Actions' } }
      : {
          latest_check_runs_count: runs,
          app: { slug: name.toLowerCase().replaceAll(' ', '-'), name },
        }),
  }));
  if (list === 'check-runs') return { total_count: of.length, check_runs: shown };
  return list === 'check-suites' ? { total_count: of.length, check_suites: shown } : undefined;
}

/** The last one of each name, as hosts answer. */
function newest<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
}
