/** Failures of the host, the platform or their limits, where the failure code is enough. */
import { changeSetting, deployAgain, readLog, runnerCommands, showService } from './commands.ts';
import type { Failure, FailureRule } from './failure.ts';

const jobOf = ({ what }: Failure) => (what.kind === 'run' ? 'command' : 'deployment');

export const hostRules: readonly FailureRule[] = [
  {
    id: 'disk-full',
    codes: ['disk_full', 'build_failed', 'image_failed', 'start_failed', 'health_failed'],
    says: /no disk space left|too little disk space left|no space left on device|ENOSPC|disk quota exceeded/i,
    explain: ({ line }) => ({
      summary: 'The host has no disk space left.',
      likelyCause: `A file could not be written: "${line}". Old images, build caches or volumes fill the disk.`,
      suggestedFix: 'Free disk space on the host (check first what Docker uses), then deploy again.',
      steps: ['docker system df', 'docker builder prune', 'docker image prune', deployAgain],
    }),
  },
  {
    id: 'deadline',
    codes: ['deadline'],
    explain: ({ line }, failure) => ({
      summary: 'The deployment exceeded its time limit and was stopped.',
      likelyCause: `${line} A step hangs (waiting for input, a lock or the network), or the build is too large for this host.`,
      suggestedFix:
        'Find the step that printed the last line. Run commands without prompts (for example "npx --yes"), do not start servers or run migrations in the build, and order the Dockerfile so that dependencies are cached.',
      steps: [readLog(failure), deployAgain],
    }),
  },
  {
    id: 'runner-lost',
    codes: ['runner_lost'],
    explain: ({ line }, failure) => ({
      summary: `The host stopped answering during this ${jobOf(failure)}.`,
      likelyCause: `${line} The host lost power or network, or its runner exited (often because the build used all memory).`,
      suggestedFix: 'Check on the host whether the runner is running and why it exited, then deploy again.',
      steps: [
        ...runnerCommands(failure, [
          'systemctl status longshore-runner',
          'journalctl -u longshore-runner --since -1h',
        ]),
        'journalctl -k --since -1h --grep "out of memory|oom"',
        deployAgain,
      ],
    }),
  },
  {
    id: 'runner-restarted',
    codes: ['runner_restarted'],
    explain: ({ line }, failure) => ({
      summary: 'The runner was stopped or restarted during the deployment.',
      likelyCause: `${line} The cause is an update, a reboot or a crash of the host, not the app.`,
      suggestedFix: 'Deploy again. If it happens again, the log of the runner shows why it restarts.',
      steps: [deployAgain, ...runnerCommands(failure, ['journalctl -u longshore-runner --since -1h'])],
    }),
  },
  {
    id: 'not-isolated',
    codes: ['not_isolated'],
    explain: ({ line }) => ({
      summary: 'The host does not keep tenants apart, so nothing new is started on it.',
      likelyCause: `${line} Several tenants have services there, and an older Docker or missing firewall rules would let one reach another.`,
      suggestedFix:
        'The operator sees in GET /api/system/runners what the host lacks. Fix that, or move the service to another host, then deploy again. A rollback works meanwhile.',
      steps: [changeSetting('runnerId', '<runner id>'), deployAgain],
    }),
  },
  {
    id: 'queue-timeout',
    codes: ['queue_timeout'],
    explain: ({ line }, failure) => ({
      summary: `The ${jobOf(failure)} waited too long for its host and was cancelled.`,
      likelyCause: `${line} The host is not connected, is drained, or is busy with other jobs.`,
      suggestedFix: 'Reconnect the host, or move the service to another host, then deploy again.',
      steps: [
        ...runnerCommands(failure, ['systemctl status longshore-runner']),
        changeSetting('runnerId', '<runner id>'),
        deployAgain,
      ],
    }),
  },
  {
    id: 'move-failed',
    codes: ['move_failed'],
    explain: ({ line }, failure) => ({
      summary: 'The move to another host did not succeed: the service stays on its old host, with its data.',
      likelyCause: line,
      suggestedFix: 'Remove the reason that is named, then start the move again.',
      steps: [readLog(failure), showService],
    }),
  },
  {
    id: 'switch-denied',
    codes: ['switch_denied'],
    explain: (_, failure) => ({
      summary:
        'The new version was healthy, but got no permission to receive traffic. The old version keeps serving.',
      likelyCause:
        'The control plane did not answer within a minute, because the connection of the host was interrupted at that moment.',
      suggestedFix: 'Deploy again. If it happens again, check the network of the host.',
      steps: [deployAgain, ...runnerCommands(failure, ['journalctl -u longshore-runner --since -1h'])],
    }),
  },
  {
    id: 'switch-failed',
    codes: ['switch_failed'],
    explain: ({ line }) => ({
      summary: 'The traffic could not be moved to the new version. The old version keeps serving.',
      likelyCause: `The proxy of the host did not accept the new route: "${line}".`,
      suggestedFix:
        'Deploy again. If it happens again, restart the runner on the host, which also restarts the proxy.',
      steps: [deployAgain, 'systemctl restart longshore-runner'],
    }),
  },
  {
    id: 'docker-unavailable',
    codes: ['docker_unavailable'],
    explain: ({ line }) => ({
      summary: 'Docker did not answer on the host.',
      likelyCause: `The Docker daemon is stopped, restarting or overloaded: "${line}".`,
      suggestedFix: 'Start Docker on the host, check that it answers, then deploy again.',
      steps: ['systemctl restart docker', 'docker info', deployAgain],
    }),
  },
  {
    id: 'host-internal',
    codes: ['internal'],
    explain: ({ line }) => ({
      summary: 'The failure is in the platform, not in the app.',
      likelyCause: line,
      suggestedFix: 'Deploy again. If it happens again, the log of the runner on the host has the details.',
      steps: [deployAgain, 'journalctl -u longshore-runner --since -1h', showService],
    }),
  },
];
