/** Texts of a member's own accounts at identity providers. */

import { count } from '../../text/count.ts';
import { either } from '../../text/either.ts';

export const identitiesText = {
  title: 'Accounts at providers',
  help: 'Sign in at a provider where you have an account. Your e-mail address there may differ from the one here.',
  none: 'You have added no account yet.',
  add: (name: string) => `Add an account at ${name}`,
  added: 'Account added',
  adding: 'Adding the account',
  notAdded: 'The account was not added',
  again: 'Back to the settings',
  unusable: 'Does not work now',
  remove: 'Remove',
  removeLabel: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove your account at ${name}?`,
  removeHelp:
    'Nobody signs in with it any more until you add it again. Browsers that are signed in stay signed in until you sign them out below.',
  removed: (name: string) => `Account at ${name} removed`,
  left: (passkeys: number, providers: readonly string[]) =>
    `You can still sign in with ${either([...(passkeys > 0 ? [count(passkeys, 'passkey')] : []), ...providers])}.`,
} as const;
