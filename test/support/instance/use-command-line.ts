/** The bundled command line as a process, logged in to an instance. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';
import type { Json } from './longshore.ts';
import type { Instance } from './use-instance.ts';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

interface RunOptions {
  /** What stdin contains. */
  input?: string;
  env?: Record<string, string>;
}

export interface CommandLineUser {
  /** The folder in which the commands run. It is also home and configuration directory. */
  home: string;
  /** Origin of the API. */
  url: string;
  /** The bundled program. */
  program: string;
  /** Runs a command without a terminal. */
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** Standard output of a command that must succeed. */
  ok(...args: string[]): Promise<string>;
  /** The output of a command with `--json`; it must succeed. */
  json(...args: string[]): Promise<Json>;
}

/** A user with the key of the instance, for the tests of a file. */
export function useCommandLine(longshore: Instance): CommandLineUser {
  const user = {
    run(args, { input = '', env = {} } = {}) {
      const own = { PATH: process.env.PATH, HOME: user.home, LONGSHORE_CONFIG_DIR: user.home };
      const child = spawn(process.execPath, [user.program, ...args], {
        cwd: user.home,
        env: { ...own, ...env },
      });
      const ended: Ended = { code: null, out: '', err: '' };
      child.stdout.on('data', (text) => {
        ended.out += text;
      });
      child.stderr.on('data', (text) => {
        ended.err += text;
      });
      child.stdin.end(input);
      return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
    },
    async ok(...args) {
      const { code, out, err } = await user.run(args);
      expect(code, `${args.join(' ')}\n${out}${err}`).toBe(0);
      return out.trim();
    },
    json: async (...args) => JSON.parse(await user.ok(...args, '--json')),
  } as CommandLineUser;
  beforeAll(async () => {
    user.home = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
    user.program = await bundle(join(user.home, 'longshore.mjs'));
    const { url, apiKey } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
    user.url = url;
    const { code, err } = await user.run(['login', url, '--stdin'], { input: apiKey });
    expect(code, err).toBe(0);
  });
  afterAll(async () => {
    // Undefined if the instance did not start.
    if (user.home) await rm(user.home, { recursive: true, force: true });
  });
  return user;
}
