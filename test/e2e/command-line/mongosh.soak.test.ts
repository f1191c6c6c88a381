/** `longshore db shell` with MongoDB's own shell. The stand-in of its image has none, so mongosh of npm is added to it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImageFrom, removeImages } from '../../support/instance/image.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';

const image = 'longshore-e2e-mongosh:7';
const mongosh = 'mongosh@2.12.0';
const dockerfile = `FROM mongo:7
COPY node_modules /opt/mongosh/node_modules
RUN printf '#!/bin/sh\\nHOME=/tmp exec node /opt/mongosh/node_modules/mongosh/bin/mongosh.js "$@"\\n' > /usr/local/bin/mongosh && chmod 755 /usr/local/bin/mongosh
`;
const longshore = useInstance();
const cli = useCommandLine(longshore);

beforeAll(async () => {
  const context = await mkdtemp(join(tmpdir(), 'longshore-mongosh-'));
  try {
    await writeFile(join(context, 'package.json'), '{"private":true}');
    await writeFile(join(context, 'Dockerfile'), dockerfile);
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional', '--prefer-offline'];
    await promisify(execFile)('npm', ['install', ...flags, mongosh], { cwd: context });
    await buildImageFrom(context, ['Dockerfile', 'node_modules'], image);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  await longshore.newProject('shop');
});
afterAll(() => removeImages(image));

test('shell of mongodb logs in by itself, takes statements from a pipe, and passes on the exit code', async () => {
  await cli.ok('db', 'create', 'documents', '-p', 'shop', '--engine', 'mongodb', '--image', image);
  const input = 'db.notes.insertOne({ text: "kept" })\ndb.notes.find({}, { _id: 0 })\nexit(4)\n';
  const { code, out, err } = await cli.run(['db', 'shell', 'documents'], { input });
  expect([code, out], err).toEqual([4, expect.stringContaining("[ { text: 'kept' } ]")]);
  const refused = await cli.run(['db', 'shell', 'documents'], {
    input: 'db.getSiblingDB("admin").auth("root", "wrong")\n',
  });
  expect(refused.out + refused.err).toMatch(/[Aa]uthentication failed/);
});
