/** Texts of deployments and logs. */

export const comparisonText = {
  title: 'What changed',
  with: 'Compare with',
  liveBefore: 'The version that was live before',
  nothingBefore: 'No version was live before this one.',
  before: 'Before',
  after: 'This deployment',
  notSet: 'not set',
  sameImage: 'The same build',
  sameSettings: 'The settings are the same.',
  sameVariables: 'The variables are the same.',
  notStored:
    'The settings of one of the two deployments are no longer stored, so settings and variables can’t be compared.',
  files: 'Mounted files',
  kinds: { added: 'Added', changed: 'Changed', removed: 'Removed' },
  slower: (time: string, isSlower: boolean) => `${time} ${isSlower ? 'slower' : 'faster'}`,
} as const;
