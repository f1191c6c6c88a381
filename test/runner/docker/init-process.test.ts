import { expect, test } from 'vitest';
import { listsInit, wantsInit } from '../../../runner/docker/init-process.ts';

const analyzed = { 'longshore.init': 'true' };
const nodeImage = { Entrypoint: ['docker-entrypoint.sh'], Cmd: ['node'] };

test.each<[string, Parameters<typeof wantsInit>, boolean]>([
  [
    'of the analyzer',
    [{ Entrypoint: [], Cmd: ['/bin/sh', '-c', 'exec gunicorn app'], Labels: analyzed }],
    true,
  ],
  ['whose Dockerfile starts Node', [{ Cmd: ['node', 'server.js'], Labels: { 'longshore.init': '' } }], true],
  [
    'whose Dockerfile starts Node by its path',
    [{ Entrypoint: ['/usr/local/bin/node'], Cmd: ['a.js'] }],
    true,
  ],
  ['with the entrypoint of the official Node image', [nodeImage], true],
  ['whose Dockerfile starts Node in a shell', [{ Cmd: ['/bin/sh', '-c', 'exec env A=1 node a.js'] }], true],
  ['with an entrypoint that is one string', [{ Entrypoint: 'node' }], true],
  ['whose service sets a command of Node', [{ Cmd: ['/init'] }, { command: ['node', 'a.js'] }], true],
  ['with an init of its own', [{ Entrypoint: ['/init'], Cmd: ['node', 'a.js'], Labels: null }], false],
  ['with tini', [{ Entrypoint: ['tini', '--'], Cmd: ['node', 'a.js'] }], false],
  ['of another program', [{ Entrypoint: null, Cmd: ['nginx', '-g', 'daemon off;'] }], false],
  [
    'whose script is called docker-entrypoint.sh',
    [{ Entrypoint: ['/docker-entrypoint.sh'], Cmd: ['nginx'] }],
    false,
  ],
  ['that starts nothing', [{}], false],
  [
    'whose service sets another entrypoint',
    [{ ...nodeImage, Labels: analyzed }, { entrypoint: ['/init'] }],
    false,
  ],
  [
    'whose service runs its entrypoint alone',
    [{ Cmd: ['node'] }, { entrypoint: ['/bin/sh', '-c', 'node'] }],
    true,
  ],
])('a container of an image %s gets an init process: %s', (_, [image, settings], expected) => {
  expect(wantsInit(image, settings)).toBe(expected);
});

test.each([
  [[{ Name: 'Engine' }, { Name: 'docker-init' }], true],
  [[{ Name: 'Engine' }, { Name: 'runc' }], false],
  [null, false],
])('a daemon with the parts %j has an init process: %s', (parts, expected) => {
  expect(listsInit(parts)).toBe(expected);
});
