/** Texts of the operator's rooms for what was deleted, failed sign-ins, the encryption key and the sessions of keys. */
import { count } from './count.ts';

export const instanceCareText = {
  allDeleted: {
    title: 'Deleted',
    help: 'What is kept of deleted things of all tenants. It takes space on hosts and in the bucket.',
    none: 'Nothing is kept',
    noneHelp:
      'Deleted services, projects, backups and volumes are here until they can’t be restored any more.',
    keptOn: (hosts: string) => `on ${hosts}`,
    backups: (size: string) => `${size} of backups`,
    tenant: (name: string) => `Tenant ${name}`,
    purging: 'Is being removed',
    purge: 'Remove now',
    purgeLabel: (kind: string, name: string) => `Remove now: ${kind} ${name}`,
    purgeTitle: (kind: string, name: string) => `Remove ${kind} ${name} permanently?`,
    purgeHelp:
      'Its data and backups are removed from hosts and from the bucket, with its parts that were deleted before. Nobody can restore it then.',
    purgeSubmit: 'Remove permanently',
    purged: (name: string) => `${name} is removed; hosts free its space within minutes`,
  },

  failedSignIns: {
    tab: 'Failed sign-ins',
    entries: 'Entries',
    show: 'Show',
    help: 'Wrong keys and tokens, counted for each minute and address, newest first.',
    none: 'No failed sign-ins',
    noneHelp: 'Nobody used a wrong key or token in the time that the audit log is kept.',
    times: (n: number) => `${count(n, 'failed sign-in')} in a minute`,
  },

  encryption: {
    title: 'Encryption key of the instance',
    help: 'It encrypts the keys of all projects and the secrets of the instance.',
    key: 'Key in use',
    previous: 'Key before it',
    toReseal: 'Rows to encrypt again',
    lost: 'Rows that no key opens',
    isRotating: 'A rotation is under way. Wait until no row is left before you remove the key before it.',
    mayRemove: 'All rows have the key in use: the key before it (ENCRYPTION_KEY_PREVIOUS) can be removed.',
    isLost: 'A key was removed too early: set it as ENCRYPTION_KEY_PREVIOUS again.',
  },

  keySessions: {
    open: 'Browsers',
    openLabel: (name: string) => `Browsers of ${name}`,
    help: 'Browsers that signed in with this key.',
    none: 'No browser is signed in',
    noneHelp: 'A browser that signs in with this key is listed here until it signs out, at most 14 days.',
  },

  protection: {
    end: 'End protection as the operator',
    title: (name: string) => `End the protection of ${name}?`,
    help: 'Every key with the level “write” can delete it then, with its backups.',
    submit: 'End protection',
    ended: (name: string) => `${name} is not protected any more`,
  },
} as const;
