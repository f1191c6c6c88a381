/** Texts of the page on which a member allows a command line to sign in. */

export const deviceText = {
  title: 'Sign in a command line',
  help: 'Type the code that longshore login shows in your terminal.',
  prefilled: 'Compare the code with the one in your terminal. It must be the same.',
  code: 'Code',
  placeholder: 'WDJB-MJHT',
  next: 'Continue',
  needsMember:
    'This browser is signed in with a key. A command line signs in as a member: sign out here, and sign in as a member.',
  signOut: 'Sign out',
  asks: (name: string) => `${name} asks to sign in`,
  shows: 'Its terminal shows',
  name: 'Device',
  version: 'Command line',
  address: 'Asked from',
  asked: 'Asked',
  actsAs: 'It will act as',
  role: (email: string, role: string) => `${email}, ${role}`,
  rights:
    'It can do what you can do, as long as you are a member. Members, passkeys and other command lines can be changed only in a browser. You can end it under Settings.',
  warning:
    'Allow it only if you started it and your own terminal shows this code. If somebody sent you the code, deny it.',
  allow: 'Allow',
  deny: 'Deny',
  allowed: 'The command line is signed in',
  allowedHelp: 'Go back to your terminal. You can close this page.',
  denied: 'Denied',
  deniedHelp: 'The command line was not signed in.',
  another: 'Enter another code',
} as const;
