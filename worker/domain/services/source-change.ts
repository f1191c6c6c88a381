/** What belongs to the source of a service and does not pass to another one. Everything else stays: names, variables, volumes, history. */
import { isSameRepository, placeOfRepository } from '../sources/git-source.ts';
import type { ServiceKind } from './service-kind.ts';
import { type JsonColumns, type SettingColumns, settingsWithoutEffect } from './settings/service-settings.ts';

interface Source {
  kind: ServiceKind;
  repoUrl: string;
}

/** A token is for one git host: it is not sent to another one. */
export function keepsGitToken(before: Source, after: Source): boolean {
  if (before.kind !== 'git' || after.kind !== 'git') return false;
  return placeOfRepository(before.repoUrl).host === placeOfRepository(after.repoUrl).host;
}

interface SourcedService extends Source, SettingColumns, JsonColumns {
  sealedGitToken: string | null;
}

/** Sentences about what a change of the source ended. @param hasNewToken whether the same request sets a token */
export function sourceChangeWarnings(
  before: SourcedService,
  after: SourcedService,
  hasNewToken: boolean,
): string[] {
  const isOther =
    before.kind === 'git' && !(after.kind === 'git' && isSameRepository(before.repoUrl, after.repoUrl));
  const lostToken = before.sealedGitToken !== null && after.sealedGitToken === null && !hasNewToken;
  const lostOutput = before.staticOutput !== null && after.staticOutput === null && !canBeSite(after);
  const unused = before.kind === after.kind ? [] : settingsWithoutEffect(before.kind, after);
  return [
    ...(isOther ? [`Pushes to ${before.repoUrl} deploy this service no longer.`] : []),
    ...(lostToken
      ? ['gitToken: it was deleted, because it belongs to the git host of the former source.']
      : []),
    ...(lostOutput ? ['staticOutput: it was cleared, because an image is not a static site.'] : []),
    ...(unused.length > 0
      ? [
          `These settings have no effect on the new source, and return with the former one: ${unused.join(', ')}.`,
        ]
      : []),
  ];
}

/** Whether `staticOutput` makes the service a static site. */
export const canBeSite = ({ kind }: Source): boolean => kind === 'git' || kind === 'upload';
