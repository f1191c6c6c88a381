/** Texts about access to a repository, deployments by push, and the host of a service. */

export const placeText = {
  title: 'Host and project',
  host: 'Host',
  away: (name: string) => `${name} (not connected)`,
  port: 'Port on the host',
  project: 'Project',
  databaseHelp: 'To move a database, restore a backup of it into a new database on the other host.',
  move: 'Move to another host',
  moveSubmit: 'Move',
  moveHelp:
    'The service is deployed on the other host. The old host keeps answering until the new version is healthy.',
  moveVolumesHelp:
    'First the image is prepared on the other host. Then the service stops, its volumes are copied through the backup bucket, and it starts on the other host. If that fails, it starts again on the old host.',
  moving: 'The move is a deployment: follow it here',
  changePort: 'Change port',
  portHelp: 'The version that serves keeps its port until the next deployment.',
  anyPort: 'Leave it empty for the next free port.',
  portChanged: (port: number, isPending: boolean) =>
    `The port is ${port}${isPending ? ' from the next deployment on' : ''}`,
  transfer: 'Move to another project',
  transferSubmit: 'Move',
  transferHelp:
    'Variables, domains, volumes and backups move with the service. References between the service and other services of this project break.',
  transferred: (name: string) => `The service belongs to ${name} now`,
} as const;
