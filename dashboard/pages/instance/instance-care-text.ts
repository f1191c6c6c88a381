/** Texts of the operator's pages about deleted things, failed sign-ins, the encryption key and the sessions of keys. */
import { count } from '../../text/count.ts';

export const allDeletedText = {
  title: 'Deleted',
  help: 'Deleted services, projects, backups and volumes of all tenants that can still be restored. They take space on hosts and in the bucket.',
  none: 'Nothing is kept',
  noneHelp: 'Deleted services, projects, backups and volumes are here until they can’t be restored any more.',
  keptOn: (hosts: string) => `on ${hosts}`,
  backups: (size: string) => `${size} of backups`,
  tenant: (name: string) => `Tenant ${name}`,
  purging: 'Being removed',
  purge: 'Remove now',
  purgeLabel: (kind: string, name: string) => `Remove now: ${kind} ${name}`,
  purgeTitle: (kind: string, name: string) => `Remove ${kind} ${name} permanently?`,
  purgeHelp:
    'The data and backups are removed from hosts and from the bucket, and so are parts that were deleted earlier. Nobody can restore them then.',
  purgeSubmit: 'Remove permanently',
  purged: (name: string) => `${name} is removed; hosts free its space within minutes`,
} as const;

export const failedSignInsText = {
  tab: 'Failed sign-ins',
  entries: 'Entries',
  show: 'Show',
  help: 'Wrong keys and tokens, counted for each minute and address, newest first.',
  none: 'No failed sign-ins',
  noneHelp: 'Nobody used a wrong key or token in the time that the audit log is kept.',
  times: (n: number) => `${count(n, 'failed sign-in')} in a minute`,
} as const;

export const keySessionsText = {
  open: 'Browsers',
  openLabel: (name: string) => `Browsers of ${name}`,
  help: 'Browsers that signed in with this key.',
  none: 'No browser is signed in',
  noneHelp: 'A browser that signs in with this key is listed here until it signs out, at most 14 days.',
} as const;
