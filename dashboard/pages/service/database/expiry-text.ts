/** Texts about the expiry of keys in Redis. */

export const keyExpiryText = {
  title: 'expiry',
  expires: (span: string) => `The key expires in ${span}.`,
  never: 'The key does not expire.',
  change: 'Change expiry',
  dialog: (key: string) => `Expiry of ${key}`,
  seconds: 'Seconds from now',
  help: 'The key is deleted after this time. Empty: it does not expire.',
  bad: 'Give a whole number of seconds, 1 or more. Leave it empty if the key should not expire.',
  unchanged: 'Nothing was changed: the key no longer exists, or it no longer expires.',
};
