/** Texts of the settings of a service: values, traffic rules, files, volumes. */

export const sourceSettingsText = {
  title: 'Source',
  kind: 'Where it comes from',
  kinds: { repository: 'Repository', image: 'Image', folder: 'Uploaded folder' },
  sent: 'Sent by longshore up',
  change: 'Change the source',
  help: 'The next deployment uses it. Names, variables, volumes and versions stay; pushes to the former repository deploy nothing any more.',
  tokenHelp: 'Empty: the present one stays if the git host stays.',
  saved: 'Saved. The next deployment uses the new source.',
  savedFolder: 'Saved. Send the folder with longshore up.',
} as const;

export const filesText = {
  title: 'Files',
  help: 'Small text files that are mounted read-only into the containers, such as a configuration or a certificate.',
  add: 'Add file',
  path: 'Path in the container',
  pathHelp: 'Such as /etc/app/config.yaml.',
  content: 'Content',
  mode: 'Mode',
  modeHelp: 'Octal: 0444 lets every user of the container read it.',
} as const;

export const volumesText = {
  title: 'Volumes',
  help: 'Directories that are kept when containers are replaced. If a service has a volume, each deployment stops the old version before the new one starts.',
  stopStart: 'Each deployment stops the old version before the new one starts.',
  add: 'Add volume',
  name: 'Name',
  mountPath: 'Path in the container',
  mountPathHelp: 'Such as /data.',
  sizeMb: 'Size limit in MB',
  sizeHelp: 'Empty: no limit.',
  removeHelp:
    'The running version keeps the volume until the next restart or deployment. The volume can be restored for 72 hours.',
  notMeasured: 'Not measured yet',
  notMeasuredOf: (size: string) => `Not measured yet, at most ${size}`,
  usedOf: (name: string) => `Space used in ${name}`,
} as const;
