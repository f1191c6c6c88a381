/** The login of a member by the browser: shows a code, and waits until the member allows it there. */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { LongshoreError } from '../../../client/client.ts';
import { Failure } from '../../base/failure.ts';
import { openBrowser } from '../../base/open-browser.ts';
import { type Output, printable } from '../../base/output.ts';
import { isTerminal } from '../../base/prompts.ts';
import { version } from '../../base/version.ts';
import { type CommandLine, clientOf, patiently } from '../../session.ts';
import type { Context } from '../../settings/contexts.ts';
import { contextOf } from '../../settings/fresh-key.ts';

const nameMax = 100;

/** @throws Failure if the member denies it, or enters the code too late */
export async function loginByBrowser(
  process: CommandLine['process'],
  output: Output,
  url: string,
): Promise<Context> {
  // These routes need no key.
  const client = clientOf({ url, key: '-' });
  const device = { name: printable(hostname(), false).trim().slice(0, nameMax) || 'Command line', version };
  const started = await client.call('POST /api/sign-in/device', { body: device }).catch((error: unknown) => {
    if (error instanceof LongshoreError && error.status === 404)
      throw new Failure(`${url} has no login by the browser yet. Use a key: longshore login ${url} --key`);
    throw error;
  });
  const page = new URL(started.path, url).href;
  const minutes = Math.round((Date.parse(started.expiresAt) - Date.now()) / 60_000);
  output.progress(
    `Open ${page} in a browser, and allow the command line that shows this code:\n\n    ${output.style('bold', started.userCode, 'stderr')}\n\nThe code works once, for ${Math.max(minutes, 1)} minutes. Do not enter a code that somebody sent you. Waiting ...`,
  );
  // What follows # is not sent to the server.
  if (isTerminal(process) && !output.json) openBrowser(`${page}#${started.userCode}`);
  for (let { deviceToken, intervalSeconds } = started; ; ) {
    await pause(intervalSeconds * 1_000);
    const answer = await patiently(
      () => client.call('POST /api/sign-in/device/exchange', { body: { deviceToken } }),
      output,
    ).catch((error: unknown) => {
      if (!(error instanceof LongshoreError) || ![401, 403].includes(error.status)) throw error;
      throw new Failure(`${error.message} Nothing was stored. Log in again: longshore login ${url}`, {
        code: error.code,
      });
    });
    if (answer.state === 'signed-in') return contextOf(url, answer);
    intervalSeconds = answer.intervalSeconds;
  }
}
