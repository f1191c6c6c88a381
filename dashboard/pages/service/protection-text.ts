/** Texts of the operator's pages about deleted things, failed sign-ins, the encryption key and the sessions of keys. */

export const protectionText = {
  end: 'End protection as the operator',
  title: (name: string) => `End the protection of ${name}?`,
  help: 'Every key with the level “write” can then delete the service with its backups.',
  submit: 'End protection',
  ended: (name: string) => `${name} is no longer protected`,
} as const;
