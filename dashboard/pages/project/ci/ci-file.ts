/** The files with which a CI service deploys without a stored key, for one trust policy. docs/guide/ci.md has the same files. */
import type { TrustPolicy } from './trust-policy.ts';

/** What of a policy decides how its jobs are started. */
export type PolicyOfJob = Pick<TrustPolicy, 'provider' | 'branches' | 'tags' | 'environment' | 'audience'>;

export interface CiFile {
  path: string;
  text: string;
}

export interface Deployed {
  /** Of the instance, or the CI service's own variable with it. */
  address: string;
  /** `project/service`. */
  service: string;
}

/** The file of the provider; undefined for issuers whose jobs are not started by a file that is known here. */
export function ciFile(policy: PolicyOfJob, deployed: Deployed): CiFile | undefined {
  if (policy.provider === 'github')
    return { path: '.github/workflows/deploy.yml', text: gitHubFile(policy, deployed) };
  if (policy.provider === 'forgejo')
    return { path: '.forgejo/workflows/deploy.yml', text: forgejoFile(policy, deployed) };
  if (policy.provider === 'gitlab') return { path: '.gitlab-ci.yml', text: gitLabFile(policy, deployed) };
  return undefined;
}

interface ScriptOptions {
  /** The project for which keys are requested, if its slug is not enough. */
  projectId?: string | undefined;
  /** If it is not the address of the instance. */
  audience?: string | undefined;
}

/** `deploy.sh`: deploys a commit, waits, tests, and goes back if the test fails. */
export function deployScript({ projectId, audience }: ScriptOptions = {}): CiFile {
  const exchange = [
    'longshore keys exchange -p',
    projectId ?? `"\${1%%/*}"`,
    ...(audience === undefined ? [] : ['--audience', quoted(audience)]),
  ].join(' ');
  const text = `#!/bin/sh
# Usage: deploy.sh PROJECT/SERVICE COMMIT
set -eu
curl -fsSL "$LONGSHORE_URL/cli.sh" | sh
export PATH="\${LONGSHORE_BIN:-$HOME/.local/bin}:/usr/local/bin:$PATH"
if [ -z "\${LONGSHORE_KEY:-}" ]; then
  LONGSHORE_KEY=$(${exchange})
  export LONGSHORE_KEY
fi

longshore deploy -s "$1" --ref "$2" --wait --timeout 15m
url=$(longshore open -s "$1")
if ! curl -fsS --max-time 10 --retry 5 --retry-delay 2 --retry-all-errors "$url"; then
  echo "The new version does not pass the test: going back" >&2
  longshore rollback -s "$1" --wait
  exit 1
fi
`;
  return { path: 'deploy.sh', text };
}

/** In single quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A text of YAML, in quotes if it needs them. */
const yaml = (text: string) => (/^[A-Za-z][\w./-]*$/.test(text) ? text : JSON.stringify(text));
const list = (texts: readonly string[]) => `[${texts.map(yaml).join(', ')}]`;

/** The names of branches and tags are patterns of the same form in Actions. */
function startOfActions({ branches, tags }: PolicyOfJob): string {
  const filters = [
    ...(branches.length > 0 ? [`    branches: ${list(branches)}\n`] : []),
    ...(tags.length > 0 ? [`    tags: ${list(tags)}\n`] : []),
  ];
  return `name: deploy\non:\n  push:\n${filters.join('')}`;
}

const environmentLine = ({ environment }: PolicyOfJob, indent: string) =>
  environment === null ? '' : `${indent}environment: ${yaml(environment)}\n`;

const gitHubFile = (
  policy: PolicyOfJob,
  { address, service }: Deployed,
) => `${startOfActions(policy)}concurrency: deploy
permissions:
  id-token: write
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
${environmentLine(policy, '    ')}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - run: sh deploy.sh ${service} "$GITHUB_SHA"
        env:
          LONGSHORE_URL: ${address}
`;

const forgejoFile = (
  policy: PolicyOfJob,
  { address, service }: Deployed,
) => `${startOfActions(policy)}enable-openid-connect: true
jobs:
  deploy:
    runs-on: docker
    steps:
      - uses: actions/checkout@v4
      - run: sh deploy.sh ${service} "$GITHUB_SHA"
        env:
          LONGSHORE_URL: ${address}
`;

/** GitLab's rules know no such patterns: the policy refuses the jobs of other branches. */
function gitLabFile(policy: PolicyOfJob, { address, service }: Deployed): string {
  const rules = [
    ...(policy.branches.length > 0 || policy.tags.length === 0
      ? ['$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH']
      : []),
    ...(policy.tags.length > 0 ? ['$CI_COMMIT_TAG'] : []),
  ].map((rule) => `    - if: ${rule}\n`);
  return `deploy:
  image: node:24
  resource_group: production
${environmentLine(policy, '  ')}  variables:
    LONGSHORE_URL: ${address}
  id_tokens:
    LONGSHORE_ID_TOKEN:
      aud: ${policy.audience}
  rules:
${rules.join('')}  script:
    - sh deploy.sh ${service} "$CI_COMMIT_SHA"
`;
}
