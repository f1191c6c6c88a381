import { describe, expect, test } from 'vitest';
import { parseImageRef } from '../../../runner/docker/image-ref.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('an image reference', () => {
  test.each([
    ['nginx', { registry: undefined, repository: 'nginx', tag: 'latest' }],
    ['nginx:1.27-alpine', { registry: undefined, repository: 'nginx', tag: '1.27-alpine' }],
    ['owner/app:v1', { registry: undefined, repository: 'owner/app', tag: 'v1' }],
    ['ghcr.io/owner/app', { registry: 'ghcr.io', repository: 'ghcr.io/owner/app', tag: 'latest' }],
    ['localhost:5000/app', { registry: 'localhost:5000', repository: 'localhost:5000/app', tag: 'latest' }],
    [
      'host.example:5000/a/b:1',
      { registry: 'host.example:5000', repository: 'host.example:5000/a/b', tag: '1' },
    ],
    [`nginx@${digest}`, { registry: undefined, repository: 'nginx', tag: digest, pinned: true }],
    [`nginx:1.27@${digest}`, { registry: undefined, repository: 'nginx', tag: digest, pinned: true }],
  ])('the image reference %s is read', (text, parts) => {
    expect(parseImageRef(text)).toMatchObject(parts);
  });

  test.each([
    '',
    'Nginx',
    'a b',
    '-x',
    'a:b:c',
    'a//b',
    'a/../b',
    'nginx:',
    'nginx@sha256:12',
    'https://x/y',
    'a\nb',
    'a;b',
  ])('the image reference %j is refused', (text) => {
    expect(() => parseImageRef(text)).toThrow(expect.objectContaining({ code: 'source_refused' }));
  });

  test.each(['longshore-svc_0123456789abcdef-dep_0123456789abcdef', 'library/longshore-svc_x-dep_y:latest'])(
    'the image reference %s is refused: another service’s code',
    (text) => {
      expect(() => parseImageRef(text)).toThrow(/cannot be used/);
    },
  );
});
