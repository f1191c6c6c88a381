/** Texts of the keys that members make for programs. */

export const ownKeysText = {
  title: 'Your keys',
  help: 'A program with such a key acts in your name, with at most your rights. The keys end with your membership.',
  notYours: 'Your role makes no keys.',
  none: 'You have no keys.',
  yourProjects: 'All that you see',
  span: 'Expires in',
  spanHelp: { expiresInDays: '1 to 90 days', expiresInMinutes: '5 to 1,440 minutes' },
  unit: 'Unit',
  units: { expiresInDays: 'Days', expiresInMinutes: 'Minutes' },
  issuedTitle: (name: string) => `Key ${name}`,
  revokeHelp: 'Programs that use the key are refused at once. This can’t be undone.',
} as const;
