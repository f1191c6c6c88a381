/** Texts of the sign-in. */

export const signInText = {
  title: 'Sign in to Longshore',
  key: 'API key',
  placeholder: 'lsk_…',
  help: 'A key is exchanged for a session of this browser. The key itself is not stored.',
  where:
    'On the machine of this instance, npm start prints a link that signs you in. The key is in .longshore/local.json there.',
  submit: 'Sign in',
  working: 'Signing in',
  linkTitle: 'Sign in with this link?',
  linkHelp: 'The link works once, for this browser.',
  linkSubmit: 'Sign in this browser',
  linkFor: ({ name, email, tenant }: { name: string; email: string | null; tenant: string }, host: string) =>
    `You will act as ${email === null ? `the key “${name}”` : `${name} (${email})`} of the tenant “${tenant}” at ${host}.`,
  linkOfOperator: 'You will act as the operator of this instance, too.',
  linkBy: (names: string) => `${names} created the link.`,
  linkReplaces: 'This browser is already signed in. The new session replaces the old one.',
  linkFromStranger:
    'Continue only if you know who sent the link. The tenant of the link can see everything that you enter here.',
  linkFailed: 'This link has already been used, or has expired. Ask for a new link, or sign in with a key.',
  failed: 'This key is not valid. Check that it is complete, and that it was not revoked.',
  ended: 'Your session has ended. Sign in again.',
  otherWays: 'Sign in without a key',
  at: (name: string) => `Sign in with ${name}`,
  notSignedIn: 'You are not signed in',
  notHere: 'This sign-in was not started in this tab, or is already finished. Start again.',
  again: 'Back to the sign-in',
} as const;
