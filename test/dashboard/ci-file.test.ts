/** The files for CI that the dashboard shows are those of the guide. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ciFile, deployScript, type PolicyOfJob } from '../../dashboard/pages/project/ci/ci-file.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/guide/ci.md', import.meta.url)), 'utf8');
/** The blocks of code of the guide, by their language. */
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text);

const policy: PolicyOfJob = {
  ...{ provider: 'github', branches: ['main'], tags: [] },
  ...{ environment: null, audience: 'https://longshore.example' },
};
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Actions
const deployed = { address: '${{ vars.LONGSHORE_URL }}', service: 'shop/web' };
const textOf = (fields: Partial<PolicyOfJob>, of = deployed) => ciFile({ ...policy, ...fields }, of)?.text;

test.each(['github', 'forgejo'] as const)('the file for %s is that of the guide', (provider) => {
  expect(blocks('yaml')).toContain(textOf({ provider }));
});

test('the file for gitlab and the script are those of the guide', () => {
  const ofGitLab = textOf(
    { provider: 'gitlab' },
    { address: 'https://longshore.example', service: 'shop/web' },
  );
  expect(blocks('yaml')).toContain(ofGitLab);
  expect(blocks('sh')).toContain(deployScript().text);
});

test('a job is started by the branches, tags and environment that its policy trusts', () => {
  const rules = { branches: ['main', 'release/*', '**'], tags: ['v*'], environment: 'live: eu' };
  const ofGitHub = textOf(rules);
  expect(ofGitHub).toContain('branches: [main, "release/*", "**"]\n    tags: ["v*"]\n');
  expect(ofGitHub).toContain('runs-on: ubuntu-latest\n    environment: "live: eu"\n    steps:');
  const ofGitLab = textOf({ ...rules, provider: 'gitlab', branches: [] });
  expect(ofGitLab).toContain('rules:\n    - if: $CI_COMMIT_TAG\n  script:');
  expect(textOf({ branches: [], environment: 'live' })).toContain('on:\n  push:\nconcurrency');
});

test('the script requests its key for the audience of the policy and for the project of another tenant', () => {
  const { text } = deployScript({ projectId: 'prj_1', audience: "https://it's.example" });
  expect(text).toContain(
    `LONGSHORE_KEY=$(longshore keys exchange -p prj_1 --audience 'https://it'\\''s.example')`,
  );
});

test('an issuer of an unknown service has no file', () => {
  expect(ciFile({ ...policy, provider: 'other' }, deployed)).toBeUndefined();
});
