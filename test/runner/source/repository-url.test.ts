import { describe, expect, test } from 'vitest';
import { checkBranch, parseRepositoryUrl } from '../../../runner/source/repository-url.ts';

describe('a repository URL', () => {
  test.each([
    ['https://github.com/owner/repo', 'https://github.com/owner/repo', 'github.com', 443],
    ['https://git.example.com:8443/a/b.git', 'https://git.example.com:8443/a/b.git', 'git.example.com', 8443],
    ['ssh://git@example.com/a/b', 'ssh://git@example.com/a/b', 'example.com', 22],
    ['git@example.com:a/b.git', 'ssh://git@example.com/a/b.git', 'example.com', 22],
    ['https://[2001:db8::1]/a', 'https://[2001:db8::1]/a', '2001:db8::1', 443],
  ])('%s is accepted', (text, url, host, port) => {
    expect(parseRepositoryUrl(text, { allowHttp: false })).toMatchObject({ url, host, port });
  });

  test.each([
    'file:///etc',
    'ext::sh -c id',
    'git://example.com/a',
    'http://example.com/a',
    'https://user:secret@example.com/a',
    'https://token@example.com/a',
    'https://example.com/a?upload-pack=x',
    'https://example.com/a#x',
    'https://example.com',
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=id',
    'ssh://-oProxyCommand=id/a',
    'ssh://-x@example.com/a',
    'ssh://exa$(id)mple.com/a',
    'https://example.com/a\nb',
    'https://exa mple.com/a',
    '/srv/git/a',
    '',
  ])('%j is refused', (text) => {
    expect(() => parseRepositoryUrl(text, { allowHttp: false })).toThrow(
      expect.objectContaining({ code: 'source_refused' }),
    );
  });

  test('a repository URL of http is accepted where the operator allows it', () => {
    expect(parseRepositoryUrl('http://127.0.0.1:3000/a', { allowHttp: true })).toMatchObject({ port: 3000 });
  });
});

describe('a branch name', () => {
  test.each(['main', 'release/1.2', 'fix#12', 'user@work', 'a_b+c', 'a;b', 'größe', '$(id)'])(
    '%s is accepted',
    (branch) => {
      expect(checkBranch(branch)).toBe(branch);
    },
  );

  test.each([
    '-x',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a:b',
    'a*',
    'HEAD',
    'a\nb',
    'a\0b',
    'a//b',
    'a/',
    'a.lock',
    'a.lock/b',
    'a@{0}',
    'a/.b',
    'a.',
    '',
    'x'.repeat(245),
  ])('%j is refused', (branch) => {
    expect(() => checkBranch(branch)).toThrow(expect.objectContaining({ code: 'source_refused' }));
  });
});
