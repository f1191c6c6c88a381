/** All commands. */
import { buildApplication, buildRouteMap, text_en } from '@stricli/core';
import { exitCodes, told } from './base/failure.ts';
import { jsonLine, printableText } from './base/output.ts';
import { usageSentence } from './base/usage-sentences.ts';
import { abort } from './commands/abort.ts';
import { context, login } from './commands/access.ts';
import { alerts } from './commands/alerts/alerts.ts';
import { api } from './commands/api.ts';
import { completion } from './commands/completion.ts';
import { cron } from './commands/cron.ts';
import { db } from './commands/databases/db.ts';
import { doctor } from './commands/doctor.ts';
import { domains } from './commands/domains.ts';
import { down } from './commands/down.ts';
import { env } from './commands/env.ts';
import { explain } from './commands/explain.ts';
import { files } from './commands/files.ts';
import { hosts } from './commands/hosts.ts';
import { keys } from './commands/keys.ts';
import { init, link } from './commands/link.ts';
import { logs } from './commands/logs.ts';
import { metrics } from './commands/metrics.ts';
import { registries } from './commands/registries.ts';
import { deploy, releases, restart, rollback, stop } from './commands/releases.ts';
import { rename, transfer } from './commands/rename.ts';
import { restore } from './commands/restore.ts';
import { run } from './commands/run.ts';
import { server } from './commands/server.ts';
import { open, ps } from './commands/services.ts';
import { settings } from './commands/settings.ts';
import { ssh } from './commands/ssh.ts';
import { start } from './commands/start.ts';
import { traffic } from './commands/traffic.ts';
import { up } from './commands/up.ts';
import { volumes } from './commands/volumes/volumes.ts';

const root = buildRouteMap({
  docs: {
    brief: 'Deploy to your own servers with Longshore',
    fullDescription:
      'Deploy to your own servers with Longshore.\nResults go to stdout, progress goes to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 aborted, 4 timed out, 130 Ctrl-C.\nStart with: longshore login, then longshore up. No instance yet? Start one on this machine: longshore start',
  },
  routes: {
    login,
    context,
    init,
    link,
    up,
    deploy,
    abort,
    logs,
    metrics,
    alerts,
    ps,
    open,
    explain,
    env,
    files,
    settings,
    db,
    volumes,
    cron,
    domains,
    traffic,
    releases,
    rollback,
    rename,
    transfer,
    restart,
    stop,
    start,
    down,
    restore,
    run,
    ssh,
    hosts,
    keys,
    registries,
    api,
    doctor,
    server,
    completion,
  },
});

/** @param json errors are one JSON object on stderr */
export const createApp = (json: boolean, version: string) =>
  buildApplication(root, {
    name: 'longshore',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: {
      caseStyle: 'convert-camel-to-kebab',
      disableAnsiColor: true,
      onlyRequiredInUsageLine: true,
    },
    determineExitCode: (error) => told(error).exitCode,
    localization: {
      text: {
        ...text_en,
        exceptionWhileParsingArguments: (error, colours) =>
          usageText(
            usageSentence(error) ?? text_en.exceptionWhileParsingArguments.call(text_en, error, colours),
            json,
          ),
        noCommandRegisteredForInput: (input) => usageText(text_en.noCommandRegisteredForInput(input), json),
        exceptionWhileRunningCommand: (error) => errorText(error, json),
        commandErrorResult: (error) => errorText(error, json),
      },
    },
  });

function errorText(error: unknown, json: boolean): string {
  const { text, code, exitCode, requestId } = told(error);
  return json
    ? jsonLine({ error: text, code, exitCode, ...(requestId ? { requestId } : {}) })
    : printableText(text, false);
}

/** What the framework says of the words that were typed. */
const usageText = (text: string, json: boolean): string =>
  json ? jsonLine({ error: text, code: 'usage', exitCode: exitCodes.usage }) : printableText(text, false);
