/** Calls wrangler, the vendor's own program, so that it handles sign-in, accounts and uploads. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, runCommand } from '../setup/command.ts';
import { StartError } from '../start-error.ts';

export interface Wrangler {
  /** Runs a command and returns its standard output. @throws StartError `cloudflare` with wrangler's error message */
  run(args: string[]): Promise<string>;
  /** Like `run`, but returns wrangler's machine-readable output: one record per line of WRANGLER_OUTPUT_FILE_PATH. */
  report(args: string[]): Promise<unknown[]>;
}

/** A deployment uploads and starts the Worker; migrations may wait for the database. */
const timeoutMs = 300_000;

/** @param environment as of the process; contains CLOUDFLARE_API_TOKEN if the user did not sign in */
export function wranglerIn(projectRoot: string, environment: NodeJS.ProcessEnv): Wrangler {
  const program = join(projectRoot, 'node_modules/.bin/wrangler');
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    // CI: wrangler asks nothing, because nobody can answer.
    const env = {
      ...environment,
      CI: '1',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      WRANGLER_SEND_METRICS: 'false',
      ...more,
    };
    try {
      return await runCommand(program, args, { timeoutMs, cwd: projectRoot, env });
    } catch (error) {
      throw error instanceof CommandFailed ? refusal(args, error) : error;
    }
  };
  return {
    run,
    async report(args) {
      const folder = await mkdtemp(join(tmpdir(), 'longshore-wrangler-'));
      try {
        const path = join(folder, 'report');
        await run(args, { WRANGLER_OUTPUT_FILE_PATH: path });
        const lines = (await readFile(path, 'utf8')).split('\n');
        return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

const needsSignIn = /not authenticated|CLOUDFLARE_API_TOKEN|Authentication error|code: (10000|9109)/i;

function refusal(args: string[], error: CommandFailed): StartError {
  if (needsSignIn.test(error.stderr)) {
    const sentence =
      'Cloudflare does not know you: sign in, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers, D1 and R2.';
    return new StartError('cloudflare', sentence, { command: 'npx wrangler login', cause: error });
  }
  const words = error.stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^🪵|If you think this is a bug/.test(line.trim()));
  return new StartError('cloudflare', `wrangler ${args.slice(0, 3).join(' ')} failed:\n${words.join('\n')}`, {
    cause: error,
  });
}
