/**
 * What other platforms call our commands: Heroku, Railway, Fly, Kamal, Dokku, Docker and kubectl. Their spelling is often nearest to a
 * command that does something else, such as `delete` to `alerts`.
 */

/** Our commands, with the words that other command lines have for each. */
export const words: Record<string, string> = {
  'longshore up deploys a folder, a repository or an image': 'launch push publish ship create new add',
  'longshore deploy builds the newest commit': 'build redeploy release update upgrade',
  'longshore ps lists the services': 'apps app list ls services projects info show inspect',
  'longshore down removes a service or a project, and longshore restore brings it back':
    'destroy delete remove rm teardown purge',
  'longshore settings set changes settings, such as replicas=3 or memoryLimitMb=512':
    'scale resize set configure autoscale',
  'longshore env set changes variables': 'config vars variables variable secrets secret environment',
  'longshore ssh opens a shell in the container': 'shell console exec bash sh attach connect',
  'longshore run runs one command': 'task oneoff',
  'longshore logs shows the output': 'log tail output',
  'longshore releases lists the deployments': 'history deployments versions',
  'longshore rollback goes back to an earlier version': 'undo revert',
  'longshore db creates, backs up and queries databases':
    'database databases postgres pg mysql mongo mongodb redis clickhouse addons accessory backup backups',
  'longshore domains changes domains and shows their certificates':
    'domain certs cert certificates dns proxy',
  'longshore volumes creates and backs up volumes': 'volume storage disk disks mount',
  'longshore traffic sets redirects, passwords and maintenance': 'maintenance redirects auth-basic firewall',
  'longshore cron runs commands on a schedule': 'schedule scheduler schedules jobs job',
  'longshore requests shows requests with their status and duration': 'access-log access_log accesslog',
  'longshore metrics shows usage and response times': 'stats top monitor usage',
  'longshore keys manages API keys': 'key tokens token auth authorizations',
  'longshore hosts lists the servers': 'host servers machines machine nodes node regions',
  'longshore api GET /api/key shows the key and what it may do': 'whoami me account',
  'longshore logout ends the login of this machine': 'signout',
  'longshore context lists the logins of this machine': 'accounts',
  'longshore sessions lists the browsers and command lines that are signed in': 'devices logins',
  'longshore api GET /api/members lists the members; the dashboard changes them':
    'members team teams users access',
  'longshore link connects this folder to a service': 'use select unlink',
};

const byWord = new Map(
  Object.entries(words).flatMap(([command, others]) => others.split(' ').map((word) => [word, command])),
);

/**
 * @param word a command that does not exist here. Heroku's `config:set` counts as `config`
 * @returns a sentence with our command, or undefined for a word that no other platform has
 */
export function ownCommandFor(word: string): string | undefined {
  const command = byWord.get(word) ?? byWord.get(word.replace(/:.*$/, ''));
  return command && `There is no command ${word}: ${command}.`;
}
