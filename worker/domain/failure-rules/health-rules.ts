/** The container runs, but does not answer as it should. The sentences are the runner's (jobs/deploy/prove-health.ts, jobs/parts/refuse-dead.ts). */
import { deployAgain, patchService, setVariable } from './commands.ts';
import type { FailureRule } from './failure.ts';

const codes = ['health_failed'] as const;

/** What is plain from the outside; goes before what the app's own lines may say. */
export const answerRules: readonly FailureRule[] = [
  {
    id: 'listens-on-localhost',
    codes,
    says: /on port (?<port>\d+).*listens there on 127\.0\.0\.1 only/,
    explain: ({ groups }, failure) => ({
      summary: `The app listens on 127.0.0.1:${groups.port}, where nobody outside its container reaches it.`,
      likelyCause:
        'Many development servers bind to localhost only; in a container that is the container itself.',
      suggestedFix:
        'Bind to 0.0.0.0: app.listen(port, "0.0.0.0"); flask run --host=0.0.0.0; uvicorn --host 0.0.0.0; vite --host; rails server -b 0.0.0.0.',
      commands: [
        setVariable(failure, 'HOST', '0.0.0.0'),
        "git grep -nE 'localhost|127\\.0\\.0\\.1'",
        deployAgain(failure),
      ],
    }),
  },
  {
    id: 'port-mismatch',
    codes,
    says: /on port (?<wanted>\d+).*the app listens on (?<ports>(?<first>\d+)[\d, ]*)/,
    explain: ({ groups }, failure) => ({
      summary: `The app listens on port ${groups.ports}, the service expects ${groups.wanted}.`,
      likelyCause:
        'The port is written into the app or its start command, and differs from the internalPort of the service.',
      suggestedFix: `Set internalPort to ${groups.first}, or let the app listen on the port in the variable PORT.`,
      commands: [patchService(failure, { internalPort: Number(groups.first) }), deployAgain(failure)],
    }),
  },
  {
    id: 'host-not-allowed',
    codes,
    says: /Invalid HTTP_HOST header: '(?<django>[^']+)'|Blocked hosts?: (?<rails>\S+)|Blocked request\. This host \("(?<vite>[^"]+)"\) is not allowed/,
    explain: ({ groups }, failure) => ({
      summary: `The app refuses requests for the host name ${groups.django || groups.rails || groups.vite}.`,
      likelyCause:
        'The framework answers listed host names only (ALLOWED_HOSTS in Django, config.hosts in Rails, server.allowedHosts in Vite).',
      suggestedFix: 'Add the domains of the service to that list, best from a variable.',
      commands: [
        setVariable(failure, 'ALLOWED_HOSTS', '*'),
        "git grep -nE 'ALLOWED_HOSTS|config.hosts|allowedHosts'",
        deployAgain(failure),
      ],
    }),
  },
  pathRule(
    'health-path-not-found',
    '404|405|410',
    'knows no such path',
    'Set healthCheckPath to a path that the app answers, or clear it: an open port is enough then.',
  ),
  pathRule(
    'health-path-unauthorized',
    '401|403',
    'wants a sign-in or refuses the request',
    'Let the app answer this path without a sign-in, or choose another one.',
  ),
  pathRule(
    'health-path-bad-request',
    '4\\d\\d',
    'did not like the request: often it answers its own host names only',
    'Allow the domains of the service in the app, or choose another path.',
  ),
  pathRule(
    'health-path-error',
    '5\\d\\d',
    'had an error of its own: a missing variable, a database that does not answer, an unfinished migration',
    'The last lines of the app are in the log; correct what they name.',
  ),
  {
    id: 'health-path-no-answer',
    codes,
    says: /GET (?<path>\S+) should answer 2xx or 3xx, but there was: (?<what>.+?)\.?$/,
    explain: ({ groups }, failure) => ({
      summary: `The app takes connections, but gives no good answer to GET ${groups.path}.`,
      likelyCause: `There was: ${groups.what}. The app hangs, speaks another protocol than HTTP on this port (TLS, a database), or ends the connection.`,
      suggestedFix: 'Serve plain HTTP on the internal port (TLS is the proxy’s), or clear healthCheckPath.',
      commands: [patchService(failure, { healthCheckPath: null }), deployAgain(failure)],
    }),
  },
];

/** What the image says of itself; the app's own lines may say more. */
const imageCheckRule: FailureRule = {
  id: 'image-healthcheck',
  codes,
  says: /HEALTHCHECK of the image does not succeed: (?<what>.+?)\.?$/,
  explain: ({ groups }, failure) => ({
    summary: 'The app answers on its port, but the HEALTHCHECK of its image does not succeed.',
    likelyCause: `The check ran in the container, and ${groups.what}.`,
    suggestedFix:
      'Run the check in the container by hand. Often it asks another port than PORT, or uses a program (curl, wget) that the image does not have. HEALTHCHECK NONE in the Dockerfile turns it off.',
    commands: ['git grep -n HEALTHCHECK', deployAgain(failure)],
  }),
};

/** What is left when the app's own lines have said nothing. */
export const silentRules: readonly FailureRule[] = [
  imageCheckRule,
  {
    id: 'no-open-port',
    codes,
    says: /on port (?<wanted>\d+).*the app listens on no port/,
    explain: ({ groups }, failure) => ({
      summary: `The app runs, but has not opened port ${groups.wanted} within a minute.`,
      likelyCause:
        'It is still starting (migrations, compiling), waits for something, or is no server at all.',
      suggestedFix:
        'Open the port first and do long work after it; a program without a port is a worker: runtimeMode "worker".',
      commands: [patchService(failure, { runtimeMode: 'worker' }), deployAgain(failure)],
    }),
  },
  {
    id: 'port-closed',
    codes,
    says: /Nothing answers on port (?<wanted>\d+)/,
    explain: ({ groups }, failure) => ({
      summary: `Nothing answers on port ${groups.wanted}, the internalPort of the service.`,
      likelyCause:
        'The app listens on another port, on 127.0.0.1 only, or has not finished its start within a minute.',
      suggestedFix:
        'Let the app listen on 0.0.0.0 and on the port in the variable PORT, or correct internalPort.',
      commands: [patchService(failure, { internalPort: 3000 }), deployAgain(failure)],
    }),
  },
];

function pathRule(id: string, status: string, why: string, suggestedFix: string): FailureRule {
  return {
    id,
    codes,
    says: new RegExp(
      `GET (?<path>\\S+) should answer 2xx or 3xx, but there was: status (?<status>${status})\\b`,
    ),
    explain: ({ groups }, failure) => ({
      summary: `The health check GET ${groups.path} was answered with ${groups.status}.`,
      likelyCause: `The app runs and ${why}.`,
      suggestedFix,
      commands: [
        patchService(failure, { healthCheckPath: '/' }),
        patchService(failure, { healthCheckPath: null }),
        deployAgain(failure),
      ],
    }),
  };
}
