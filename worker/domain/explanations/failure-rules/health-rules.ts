/**
 * The container runs but does not answer as expected. The messages are the runner's (jobs/deploy/check-health.ts,
 * jobs/parts/refuse-exited.ts).
 */
import { changeSetting, deployAgain, searchFiles, setVariable } from './commands.ts';
import type { FailureRule } from './failure.ts';

const codes = ['health_failed'] as const;

/** Causes that are certain from the outside. Their rules take precedence over the app's own log lines. */
export const answerRules: readonly FailureRule[] = [
  {
    id: 'listens-on-localhost',
    codes,
    says: /on port (?<port>\d+).*listens there on 127\.0\.0\.1 only/,
    explain: ({ groups }, failure) => ({
      summary: `The app listens on 127.0.0.1:${groups.port}, which can't be reached from outside its container.`,
      likelyCause:
        'Many development servers only bind to localhost, which in a container is the container itself.',
      suggestedFix:
        'Bind to 0.0.0.0: app.listen(port, "0.0.0.0"); flask run --host=0.0.0.0; uvicorn --host 0.0.0.0; vite --host; rails server -b 0.0.0.0.',
      steps: [
        setVariable('HOST', '0.0.0.0'),
        searchFiles(failure, "'localhost|127\\.0\\.0\\.1'"),
        deployAgain,
      ],
    }),
  },
  {
    id: 'port-mismatch',
    codes,
    says: /on port (?<wanted>\d+).*the app listens on (?<ports>(?<first>\d+)[\d, ]*)/,
    explain: ({ groups }) => ({
      summary: `The app listens on port ${groups.ports}, but the service expects port ${groups.wanted}.`,
      likelyCause:
        'The port is hard-coded in the app or its start command, and differs from the internalPort of the service.',
      suggestedFix: `Set internalPort to ${groups.first}, or let the app listen on the port in the variable PORT.`,
      steps: [changeSetting('internalPort', Number(groups.first)), deployAgain],
    }),
  },
  {
    id: 'host-not-allowed',
    codes,
    says: /Invalid HTTP_HOST header: '(?<django>[^']+)'|Blocked hosts?: (?<rails>\S+)|Blocked request\. This host \("(?<vite>[^"]+)"\) is not allowed/,
    explain: ({ groups }, failure) => ({
      summary: `The app refuses requests for the host name ${groups.django || groups.rails || groups.vite}.`,
      likelyCause:
        'The framework only answers to listed host names (ALLOWED_HOSTS in Django, config.hosts in Rails, server.allowedHosts in Vite).',
      suggestedFix: 'Add the domains of the service to that list, preferably through a variable.',
      steps: [
        setVariable('ALLOWED_HOSTS', '*'),
        searchFiles(failure, "'ALLOWED_HOSTS|config.hosts|allowedHosts'"),
        deployAgain,
      ],
    }),
  },
  pathRule(
    'health-path-not-found',
    '404|405|410',
    'has no such path',
    'Set healthCheckPath to a path that exists, or clear it; then an open port is enough.',
  ),
  pathRule(
    'health-path-unauthorized',
    '401|403',
    'requires a sign-in or refuses the request',
    'Let the app answer this path without a sign-in, or choose another path.',
  ),
  pathRule(
    'health-path-bad-request',
    '4\\d\\d',
    'rejected the request, often because it only answers to its own host names',
    'Allow the domains of the service in the app, set healthCheckHost to a name that the app accepts, or choose another path.',
  ),
  pathRule(
    'health-path-error',
    '5\\d\\d',
    'had an internal error, such as a missing variable, an unreachable database or an unfinished migration',
    'Read the last lines of the app in the log, and fix the error that they show.',
  ),
  {
    id: 'health-path-no-answer',
    codes,
    says: /GET (?<path>\S+) should answer 2xx or 3xx, but there was: (?<what>.+?)\.?$/,
    explain: ({ groups }) => ({
      summary: `The app accepts connections, but does not answer GET ${groups.path} properly.`,
      likelyCause: `The result was: ${groups.what}. The app hangs, does not speak HTTP on this port (but TLS or a database protocol), or closes the connection.`,
      suggestedFix:
        'Serve plain HTTP on the internal port (the proxy handles TLS), or clear healthCheckPath.',
      steps: [changeSetting('healthCheckPath', null), deployAgain],
    }),
  },
];

/** The result of the image's own HEALTHCHECK. Checked later, because the app's own log lines may be more specific. */
const imageCheckRule: FailureRule = {
  id: 'image-healthcheck',
  codes,
  says: /HEALTHCHECK of the image does not succeed: (?<what>.+?)\.?$/,
  explain: ({ groups }, failure) => ({
    summary: 'The app answers on its port, but the HEALTHCHECK of its image fails.',
    likelyCause: `The check ran in the container, and ${groups.what}.`,
    suggestedFix:
      'Run the check in the container by hand. Often it uses a port other than PORT, or a program (curl, wget) that the image does not have. HEALTHCHECK NONE in the Dockerfile turns it off.',
    steps: [searchFiles(failure, 'HEALTHCHECK'), deployAgain],
  }),
};

/** Rules for when the app's own log lines gave no cause. */
export const noAnswerRules: readonly FailureRule[] = [
  imageCheckRule,
  {
    id: 'no-open-port',
    codes,
    says: /on port (?<wanted>\d+).*the app listens on no port/,
    explain: ({ groups }) => ({
      summary: `The app runs, but did not open port ${groups.wanted} in time.`,
      likelyCause:
        'It is still starting (migrations, compiling), is waiting for something, or is not a server.',
      suggestedFix:
        'Open the port before any long work, or give it more time (healthCheckStartPeriodSeconds, at most 900). If the program has no port, set runtimeMode to "worker".',
      steps: [
        changeSetting('healthCheckStartPeriodSeconds', 300),
        changeSetting('runtimeMode', 'worker'),
        deployAgain,
      ],
    }),
  },
  {
    id: 'port-closed',
    codes,
    says: /Nothing answers on port (?<wanted>\d+)/,
    explain: ({ groups }) => ({
      summary: `Nothing answers on port ${groups.wanted}, the internalPort of the service.`,
      likelyCause: 'The app listens on another port, on 127.0.0.1 only, or did not finish starting in time.',
      suggestedFix:
        'Let the app listen on 0.0.0.0 and on the port in the variable PORT, or correct internalPort.',
      steps: [changeSetting('internalPort', 3000), deployAgain],
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
    explain: ({ groups }) => ({
      summary: `The health check GET ${groups.path} got status ${groups.status}.`,
      likelyCause: `The app runs, but ${why}.`,
      suggestedFix,
      steps: [changeSetting('healthCheckPath', '/'), changeSetting('healthCheckPath', null), deployAgain],
    }),
  };
}
