/** Texts about access to a repository, deployments by push, and the host of a service. */

export const repositoryText = {
  push: 'Deploy on push',
  pushHelp: 'A webhook of the git host deploys each push to the branch. Services of a GitHub App need none.',
  noWebhook: 'There is no webhook yet.',
  webhook: 'webhook',
  webhookUrl: 'Address for the git host',
  made: 'Created',
  makeWebhook: 'Create webhook',
  webhookRemoved: 'Webhook deleted',
  removeWebhookHelp: 'Pushes no longer deploy the service. Delete the webhook at the git host too.',
  newSecret: 'New secret',
  newSecretTitle: 'Create a new secret?',
  newSecretHelp:
    'The old secret stops working now. Pushes do not deploy until the git host has the new secret.',
  secretTitle: 'Secret of the webhook',
  secret: 'Secret',
  secretHelp:
    'At the git host, create a webhook for pushes with this secret, the address of the webhook, and JSON as content type. The secret is shown only once.',
  access: 'Access to the repository',
  accessHelp:
    'For this service only. Without it, Longshore uses the git hosts under Credentials. Public repositories need no access.',
  noAccess: 'There is no token or deploy key yet.',
  hasToken: 'A token is stored. It is never shown.',
  keyHelp: 'Add this deploy key to the repository at the git host. Read access is enough.',
  deployKey: 'Deploy key',
  makeKey: 'Create deploy key',
  makeKeyTitle: 'Replace the stored access?',
  makeKeyHelp: 'The stored token or key is deleted. Deployments fail until the git host has the new key.',
  keyMade: 'Deploy key created. Use the ssh address of the repository.',
  setToken: 'Set token',
  token: 'Access token or ssh key',
  tokenHelp:
    'It must be allowed to read the repository. It is stored encrypted, never shown, and replaces a deploy key.',
  tokenSaved: 'Token saved',
  accessRemoved: 'Access deleted',
  removeAccessHelp:
    'Deployments from a private repository then fail, unless there is a credential for its git host.',
} as const;
