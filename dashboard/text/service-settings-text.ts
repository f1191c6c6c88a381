/** Texts of the settings of a service: values, traffic rules, files, volumes. */

export const serviceSettingsText = {
  readOnly: 'This key may read settings, but not change them.',
  save: 'Save',
  discard: 'Discard changes',
  waits: 'Saved settings wait for the live version',
  becomes: 'becomes',
  applies: {
    nothing: 'Applies at once',
    restart: 'Applies with a restart or deployment',
    deployment: 'Applies with the next deployment',
  },
  saved: {
    nothing: 'Saved.',
    restart: 'Saved. It applies with the next restart or deployment.',
    deployment: 'Saved. It applies with the next deployment.',
  },
  image: 'Image',
  words: 'One word on each line.',
  choices: {
    web: 'Web: answers requests',
    worker: 'Worker: no requests',
    static: 'Static site: files',
    auto: 'Automatic',
    dockerfile: 'Dockerfile',
    analyzer: 'Detected framework',
  },
} as const;
