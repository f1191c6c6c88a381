/** The host, the platform and their limits: here the code says it all. */
import { deployAgain, patchService, readLog, showService } from './commands.ts';
import type { FailureRule } from './failure.ts';

export const hostRules: readonly FailureRule[] = [
  {
    id: 'disk-full',
    codes: ['disk_full', 'build_failed', 'image_failed', 'start_failed', 'health_failed'],
    says: /no disk space left|too little disk space left|no space left on device|ENOSPC|disk quota exceeded/i,
    explain: ({ line }, failure) => ({
      summary: 'The host has no disk space left.',
      likelyCause: `A file could not be written: "${line}". Old images, build caches or volumes fill the disk.`,
      suggestedFix: 'Make room on the host (see what Docker holds first), then deploy again.',
      commands: ['docker system df', 'docker builder prune', 'docker image prune', deployAgain(failure)],
    }),
  },
  {
    id: 'deadline',
    codes: ['deadline'],
    explain: ({ line }, failure) => ({
      summary: 'The deployment took longer than it may and was stopped.',
      likelyCause: `${line} A step hangs (it waits for input, for a lock or for the network), or the build is too large for this host.`,
      suggestedFix:
        'Look which step printed last. Let commands run without questions (for example "npx --yes"), leave out of the build what belongs to the app’s start, such as servers and migrations, and order the Dockerfile so that dependencies are cached.',
      commands: [readLog(failure), deployAgain(failure)],
    }),
  },
  {
    id: 'runner-lost',
    codes: ['runner_lost'],
    explain: ({ line }, failure) => ({
      summary: 'The host stopped answering while it worked on this deployment.',
      likelyCause: `${line} The host lost power or network, or its runner ended (often because the build used all memory).`,
      suggestedFix: 'See on the host whether the runner runs and why it ended, then deploy again.',
      commands: [
        'systemctl status longshore-runner',
        'journalctl -u longshore-runner --since -1h',
        'journalctl -k --since -1h --grep "out of memory|oom"',
        deployAgain(failure),
      ],
    }),
  },
  {
    id: 'runner-restarted',
    codes: ['runner_restarted'],
    explain: ({ line }, failure) => ({
      summary: 'The runner was stopped or restarted during the deployment.',
      likelyCause: `${line} An update, a reboot or a crash of the host; the app itself is not at fault.`,
      suggestedFix: 'Deploy again. If it comes back, the log of the runner says why it restarts.',
      commands: [deployAgain(failure), 'journalctl -u longshore-runner --since -1h'],
    }),
  },
  {
    id: 'queue-timeout',
    codes: ['queue_timeout'],
    explain: ({ line }, failure) => ({
      summary: 'The deployment waited for its host until it was given up.',
      likelyCause: `${line} The host is not connected, is drained, or is busy with other deployments.`,
      suggestedFix: 'Bring the host back, or move the service to another one, then deploy again.',
      commands: [
        'systemctl status longshore-runner',
        patchService(failure, { runnerId: '<runner id>' }),
        deployAgain(failure),
      ],
    }),
  },
  {
    id: 'switch-denied',
    codes: ['switch_denied'],
    explain: (_, failure) => ({
      summary:
        'The new version was healthy, but got no permission to take over the traffic; the old one serves on.',
      likelyCause:
        'The control plane did not answer within a minute: the connection of the host was interrupted just then.',
      suggestedFix: 'Deploy again. If it comes back, check the network of the host.',
      commands: [deployAgain(failure), 'journalctl -u longshore-runner --since -1h'],
    }),
  },
  {
    id: 'switch-failed',
    codes: ['switch_failed'],
    explain: ({ line }, failure) => ({
      summary: 'The traffic could not be moved to the new version; the old one serves on.',
      likelyCause: `The proxy of the host did not take the new route: "${line}".`,
      suggestedFix:
        'Deploy again. If it comes back, restart the runner on the host: it starts the proxy anew.',
      commands: [deployAgain(failure), 'systemctl restart longshore-runner'],
    }),
  },
  {
    id: 'docker-unavailable',
    codes: ['docker_unavailable'],
    explain: ({ line }, failure) => ({
      summary: 'Docker did not answer on the host.',
      likelyCause: `The Docker daemon is stopped, restarting or overloaded: "${line}".`,
      suggestedFix: 'Start Docker on the host, see that it answers, then deploy again.',
      commands: ['systemctl restart docker', 'docker info', deployAgain(failure)],
    }),
  },
  {
    id: 'host-internal',
    codes: ['internal'],
    explain: ({ line }, failure) => ({
      summary: 'Something went wrong on the side of the platform, not in the app.',
      likelyCause: line,
      suggestedFix: 'Deploy again. If it comes back, the log of the runner on the host has the details.',
      commands: [deployAgain(failure), 'journalctl -u longshore-runner --since -1h', showService(failure)],
    }),
  },
];
