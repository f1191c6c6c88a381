/** A repository that was written on Windows, with CRLF at the ends of lines and a byte order mark, has the plan of the same one with LF. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { detect } from '../../../../runner/builder/analyzer/detect.ts';
import { projectOnDisk } from '../../../../runner/builder/analyzer/disk-files.ts';
import { fixtureApp, fixtureDirectory } from '../../../support/fixture-app.ts';
import { writeFiles } from '../../../support/runner/repository.ts';
import { overridesOf } from './providers/plans.ts';

const apps = readdirSync(fixtureDirectory('.'));
const others: Record<string, Record<string, string>> = {
  versions: { '.nvmrc': '22\n', 'package.json': '{"scripts":{"start":"node a.js"}}', 'a.js': '' },
  procfile: { Procfile: 'web: node web.js\nrelease: node b.js\n', 'package.json': '{}' },
  python: {
    'runtime.txt': 'python-3.12\n',
    'requirements.txt': 'flask\ngunicorn\n',
    'app.py': 'app = Flask(__name__)\n',
  },
  ruby: {
    Gemfile: "source 'https://rubygems.org'\nruby '3.3.0'\ngem 'sinatra'\n",
    '.ruby-version': '3.3.0\n',
    'app.rb': '\n',
  },
  staticfile: { Staticfile: 'root: site\npushstate: enabled\n', 'site/index.html': '\n' },
  script: { 'start.sh': '#!/usr/bin/env bash\nnode a.js\n' },
  yarn: {
    'package.json': '{"scripts":{"start":"node a.js"}}',
    'yarn.lock': '# x\n\n__metadata:\n  version: 6\n',
  },
  pnpm: {
    'package.json': '{"scripts":{"start":"node a.js"}}',
    'pnpm-lock.yaml': "lockfileVersion: '6.0'\n\n",
  },
  'go modules': {
    'go.mod': 'module example.com/shop\n\ngo 1.24\n',
    'cmd/api/main.go': '// x\npackage main\n',
  },
};
const projects = [...apps.map((name) => [name, fixtureApp(name)] as const), ...Object.entries(others)];

async function planOnDisk(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'longshore-line-ends-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFiles(root, files);
  return detect(projectOnDisk(root), overridesOf());
}

test.each(projects)(
  '%s has the same plan with the line ends and byte order marks of Windows',
  async (_, files) => {
    const windows = Object.entries(files).map(([path, text]) => [
      path,
      `\uFEFF${text.replace(/\r?\n/g, '\r\n')}`,
    ]);
    expect(await planOnDisk(Object.fromEntries(windows))).toEqual(await planOnDisk(files));
  },
);
