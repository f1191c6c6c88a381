/** The control plane serves all kinds of clients, so its sentences recommend routes of the API. This module replaces the routes by commands. */
const route = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/[\w:<>.?=&/-]*[\w>])/g;

const known: readonly [pattern: RegExp, command: string][] = [
  [/^POST \/api\/services\/(\w+)\/deployments$/, 'longshore deploy $1 --wait'],
  [/^POST \/api\/services\/(\w+)\/(start|restart)$/, 'longshore $2 $1 --wait'],
  [/^POST \/api\/services\/(\w+)\/stop$/, 'longshore stop $1'],
  [/^GET \/api\/services\/(\w+)\/deployments$/, 'longshore releases $1'],
  [/^POST \/api\/deployments\/(\w+)\/abort$/, 'longshore abort --deployment $1'],
  [/^POST \/api\/(?:services|projects)\/(\w+)\/restore$/, 'longshore restore $1'],
  [/^POST \/api\/services\/\w+\/volumes\/(\w+)\/restore$/, 'longshore restore $1'],
  [/^POST \/api\/services\/\w+\/database\/backups\/(\w+)\/undelete$/, 'longshore restore $1'],
  [/^GET \/api\/deleted$/, 'longshore restore'],
  [/^GET \/api\/keys$/, 'longshore keys list'],
  [/^GET \/api\/system\/runners$/, 'longshore hosts list'],
  [/^POST \/api\/system\/runners$/, 'longshore hosts add'],
];

/** The same sentences with commands instead of routes: the route's own command if there is one, else `longshore api`. */
export const withCommands = (text: string): string =>
  text.replace(route, (named) => {
    const found = known.find(([pattern]) => pattern.test(named));
    return found ? named.replace(...found) : `longshore api ${named}`;
  });
