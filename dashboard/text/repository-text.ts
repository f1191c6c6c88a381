/** Texts of how a repository is read and deployed by pushes, and of where a service runs. */
export const repositoryText = {
  repository: {
    push: 'Deploy on push',
    pushHelp:
      'A webhook of the git host deploys each push to the branch. Services of a GitHub App need none.',
    noWebhook: 'There is no webhook yet.',
    webhook: 'webhook',
    webhookUrl: 'Address for the git host',
    made: 'Made',
    makeWebhook: 'Make webhook',
    webhookRemoved: 'Webhook deleted',
    removeWebhookHelp: 'Pushes do not deploy any more. Delete it at the git host too.',
    newSecret: 'New secret',
    newSecretTitle: 'Make a new secret?',
    newSecretHelp: 'The old one ends now: pushes do not deploy until the git host has the new one.',
    secretTitle: 'Secret of the webhook',
    secret: 'Secret',
    secretHelp:
      'Give it to the git host with the address of the webhook, for pushes, as JSON. It is shown once.',
    access: 'Access to the repository',
    accessHelp:
      'Of this service alone. Without it, the git hosts among the credentials are used; public repositories need none.',
    noAccess: 'There is no token or deploy key yet.',
    hasToken: 'A token is stored. It is never shown.',
    keyHelp: 'Add this deploy key to the repository at the git host. It needs to read only.',
    deployKey: 'Deploy key',
    makeKey: 'Make deploy key',
    makeKeyTitle: 'Replace the stored access?',
    makeKeyHelp: 'The stored token or key ends. Deployments fail until the git host has the new key.',
    keyMade: 'Deploy key made. Use the address of the repository by ssh.',
    setToken: 'Set token',
    token: 'Access token or ssh key',
    tokenHelp: 'It may read the repository. Stored encrypted, never shown. It replaces a deploy key.',
    tokenSaved: 'Token saved',
    accessRemoved: 'Access deleted',
    removeAccessHelp: 'Deployments from a private repository fail, unless a credential of its git host fits.',
  },

  place: {
    title: 'Host and project',
    host: 'Host',
    away: (name: string) => `${name} (not connected)`,
    port: 'Port on the host',
    project: 'Project',
    databaseHelp: 'A database moves by a backup and a restore into a new one on the other host.',
    move: 'Move to another host',
    moveSubmit: 'Move',
    moveHelp: 'It is deployed on the other host. It answers on its old one until the new version is healthy.',
    moveVolumesHelp:
      'Its image is prepared on the other host. Then it stops, its volumes are copied through the backup bucket, and it starts there. If that fails, it starts again where it was.',
    moving: 'The move is a deployment: follow it here',
    changePort: 'Change port',
    portHelp: 'The version that serves keeps its port until the next deployment.',
    anyPort: 'Empty: the next free one.',
    portChanged: (port: number, isPending: boolean) =>
      `The port is ${port}${isPending ? ' from the next deployment on' : ''}`,
    transfer: 'Give to another project',
    transferSubmit: 'Give away',
    transferHelp:
      'Its variables, domains, volumes and backups go with it. References between it and services of this project break.',
    transferred: (name: string) => `It belongs to ${name} now`,
  },
} as const;
