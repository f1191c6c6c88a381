/** All commands. */
import {
  AliasNotFoundError,
  ArgumentParseError,
  buildApplication,
  buildRouteMap,
  EnumValidationError,
  FlagNotFoundError,
  text_en,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core';
import { exitCodes, told } from './base/failure.ts';
import { jsonLine, printableText } from './base/output.ts';
import { abort } from './commands/abort.ts';
import { context } from './commands/access/context.ts';
import { login } from './commands/access/login.ts';
import { logout } from './commands/access/logout.ts';
import { sessions } from './commands/access/sessions.ts';
import { alerts } from './commands/alerts/alerts.ts';
import { api } from './commands/api.ts';
import { audit } from './commands/audit.ts';
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
import { project } from './commands/project.ts';
import { registries } from './commands/registries.ts';
import { deploy, releases, restart, rollback, stop } from './commands/releases.ts';
import { rename, transfer } from './commands/rename.ts';
import { requests } from './commands/requests.ts';
import { restore } from './commands/restore.ts';
import { run } from './commands/run.ts';
import { server } from './commands/server.ts';
import { service } from './commands/service.ts';
import { open, ps } from './commands/services.ts';
import { settings } from './commands/settings.ts';
import { ssh } from './commands/ssh.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { traffic } from './commands/traffic.ts';
import { trust } from './commands/trust.ts';
import { up } from './commands/up.ts';
import { volumes } from './commands/volumes/volumes.ts';
import { ownCommandFor } from './names/other-words.ts';

const root = buildRouteMap({
  docs: {
    brief: 'Deploy to your own servers with Longshore',
    fullDescription:
      'Deploy to your own servers with Longshore.\nResults go to stdout, progress goes to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 aborted, 4 timed out, 130 Ctrl-C.\nStart with: longshore login, then longshore up. No instance yet? Start one on this machine: longshore start\nHelp on a command: longshore help db create',
  },
  routes: {
    login,
    logout,
    sessions,
    context,
    init,
    link,
    up,
    deploy,
    abort,
    logs,
    metrics,
    requests,
    alerts,
    status,
    ps,
    open,
    project,
    service,
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
    trust,
    audit,
    registries,
    api,
    doctor,
    server,
    completion,
  },
});

/** @param json print errors as one JSON object on stderr */
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
        noCommandRegisteredForInput: (given) =>
          usageText(ownCommandFor(given.input) ?? text_en.noCommandRegisteredForInput(given), json),
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

/** The framework's error text for wrong usage. */
const usageText = (text: string, json: boolean): string =>
  json ? jsonLine({ error: text, code: 'usage', exitCode: exitCodes.usage }) : printableText(text, false);

const more = 'Add --help to the command to see its arguments and flags.';

/**
 * Error sentences for wrong usage: they contain the argument or flag, and the values that it accepts.
 * Checks with `instanceof`: the framework's own helper compares class names, which the bundle shortens.
 * @returns undefined if the framework's own text is good enough
 */
function usageSentence(error: unknown): string | undefined {
  if (error instanceof FlagNotFoundError) {
    const near = error.corrections.map((name) => `--${name}`).join(' or ');
    return `There is no flag --${error.input}. ${near ? `Did you mean ${near}?` : more}`;
  }
  if (error instanceof AliasNotFoundError)
    return error.input === 'y'
      ? 'This command asks nothing: leave -y out.'
      : `There is no flag -${error.input}. ${more}`;
  if (error instanceof ArgumentParseError) {
    const { externalFlagNameOrPlaceholder: name, exception } = error;
    return `The value of ${name} is wrong: ${exception instanceof Error ? exception.message : String(exception)}`;
  }
  if (error instanceof EnumValidationError)
    return `--${error.externalFlagName} can't be "${error.input}". It is one of: ${error.values.join(', ')}.`;
  if (error instanceof UnsatisfiedFlagError) return `--${error.externalFlagName} needs a value. ${more}`;
  if (error instanceof UnsatisfiedPositionalError)
    return `The argument <${error.placeholder}> is missing. ${more}`;
  // A shell replaces `*.example.com` by matching file names.
  if (error instanceof UnexpectedPositionalError)
    return `"${error.input}" is one argument too many. Put quotes around an argument with a * or spaces: '*.example.com'`;
  return undefined;
}
