import { expect, test } from 'vitest';
import { readProcfile } from '../../../../runner/builder/analyzer/procfile.ts';
import { procfileNotes } from '../../../../runner/builder/analyzer/procfile-notes.ts';

const procfile = readProcfile({
  read: () =>
    `web: node web.js\r\nworker: node work.js --name 'a b'\r\n# clock: no\r\nrelease: node migrate.js\r\nclock: node clock.js\r\n`,
});
const source = {
  type: 'git' as const,
  url: 'https://git.example/a.git',
  branch: 'main',
  rootDir: 'apps/web',
};
const spec = { source, projectId: 'prj_0123456789abcdef', serviceSlug: 'shop', runtimeMode: 'web' as const };

/** The body in the command, as a shell reads it. */
const bodyOf = (note: string | undefined) =>
  JSON.parse(/'(.*)'$/.exec(note ?? '')?.[1]?.replaceAll("'\\''", "'") ?? '');

test('each line of a Procfile that no service runs is named with the command that makes a worker', () => {
  const [worker, clock, ...more] = procfileNotes(spec, procfile, false);
  expect(more).toEqual([]);
  expect(worker).toMatch(
    /^This service does not run "worker" of the Procfile\. To run it as a worker: longshore api POST \/api\/projects\/prj_0123456789abcdef\/services '/,
  );
  expect(bodyOf(worker)).toEqual({
    ...{
      name: 'shop-worker',
      repoUrl: source.url,
      branch: 'main',
      rootDir: 'apps/web',
      runtimeMode: 'worker',
    },
    startCommand: "node work.js --name 'a b'",
  });
  expect(bodyOf(clock)).toMatchObject({ name: 'shop-clock', startCommand: 'node clock.js' });
});

test('a worker does not name the line that it runs, and a Dockerfile takes a command', () => {
  const notes = procfileNotes({ ...spec, runtimeMode: 'worker' }, procfile, true);
  expect(notes.map(bodyOf)).toEqual([
    expect.objectContaining({ name: 'shop-clock', command: ['sh', '-c', 'node clock.js'] }),
  ]);
});

test('a service without such lines has no notes', () => {
  expect(procfileNotes(spec, readProcfile({ read: () => 'web: a\nrelease: b' }), false)).toEqual([]);
  expect(procfileNotes(spec, readProcfile({ read: () => undefined }), false)).toEqual([]);
});
