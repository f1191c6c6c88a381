/** Texts of the operator's pages about deleted things, failed sign-ins, the encryption key and the sessions of keys. */

export const encryptionText = {
  title: 'Encryption key of the instance',
  help: 'It encrypts the keys of all projects and the secrets of the instance.',
  key: 'Current key',
  previous: 'Previous key',
  toReseal: 'Rows to encrypt again',
  lost: 'Rows that no key can decrypt',
  isRotating:
    'A rotation is running. Do not remove the previous key before all rows are encrypted with the current key.',
  mayRemove:
    'All rows are encrypted with the current key. The previous key (ENCRYPTION_KEY_PREVIOUS) can be removed.',
  isLost: 'A key was removed too early: set it as ENCRYPTION_KEY_PREVIOUS again.',
} as const;
