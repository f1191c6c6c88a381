/** Texts of passkeys. */
import { count } from './count.ts';
import { either } from './either.ts';

export const passkeysText = {
  title: 'Passkeys',
  help: 'Sign in with your fingerprint, your face or the PIN of a device. Each passkey works at the address where it was added.',
  signIn: 'Sign in with a passkey',
  add: 'Add a passkey',
  added: 'Passkey added',
  none: 'You have no passkeys yet.',
  synced: 'Synced',
  at: (name: string) => `For ${name}`,
  addedAt: 'Added',
  lastUsed: 'Last used',
  unused: 'Not used yet',
  renameLabel: (name: string) => `Rename ${name}`,
  rename: 'Rename',
  renameTitle: (name: string) => `Rename ${name}`,
  name: 'Name',
  renamed: 'Passkey renamed',
  removeLabel: (name: string) => `Remove ${name}`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeHelp:
    'Nobody signs in with it any more. Browsers that are signed in stay signed in until you sign them out below.',
  removed: 'Passkey removed',
  left: (passkeys: number, providers: readonly string[]) =>
    `You can still sign in with ${either([...(passkeys > 0 ? [count(passkeys, 'other passkey')] : []), ...providers])}.`,
  lastWay: (hasOtherOwner: boolean) =>
    `This is your last way to sign in. Once your sessions have ended, only ${hasOtherOwner ? 'another member who is an owner' : 'the operator of this instance'} can let you in, by a new link.`,
  notHere:
    'This browser has no passkeys at this address: they need a host name, and https except on this machine.',
  elsewhere: 'Passkeys do not work at this address: they need the host name where they were added.',
  local: 'On this machine:',
  noneChosen: 'No passkey was used. Try again, or sign in another way.',
  known: 'This device already has one of your passkeys.',
} as const;
