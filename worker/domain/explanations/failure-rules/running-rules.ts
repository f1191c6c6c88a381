/**
 * Crashes of the live version and failed commands, for which the explanations of deployments do not fit. Messages of the
 * runner: docker/troubles.ts, docker/events.ts, host/disk-watch.ts, jobs/deploy/run-command.ts, jobs/deploy/run-in-live.ts.
 */
import {
  changeSetting,
  deployAgain,
  readLog,
  restart,
  runAgain,
  searchFiles,
  showService,
} from './commands.ts';
import { type Failure, type FailureRule, subjectOf } from './failure.ts';

const again = (failure: Failure) => (failure.what.kind === 'run' ? [runAgain(failure.what)] : [restart]);

export const runningRules: readonly FailureRule[] = [
  {
    id: 'disk-limit',
    codes: ['health_failed'],
    of: ['crash'],
    says: /^The container was stopped because it wrote more than (?<limit>.+?)\. .*?(?<wayOut>(?:Write less|Its data is kept).*)$/,
    explain: ({ groups }, failure) => ({
      summary: `The app wrote more than ${groups.limit}, so the host stopped it.`,
      likelyCause: 'Logs, caches, uploads or temporary files grow without an end.',
      suggestedFix: groups.wayOut ?? '',
      steps: [readLog(failure), deployAgain],
    }),
  },
  {
    id: 'unhealthy',
    codes: ['health_failed'],
    of: ['crash'],
    says: /^The container runs, but the HEALTHCHECK of its image fails/,
    explain: (_, failure) => ({
      summary: 'The app runs, but the HEALTHCHECK of its image fails.',
      likelyCause:
        'It worked when the version was deployed. The app hangs, is overloaded, or lost something that its check needs, such as a database.',
      suggestedFix:
        'Read the last lines of its log. A restart helps against a hang; the check itself is changed in the image.',
      steps: [readLog(failure), searchFiles(failure, 'HEALTHCHECK'), restart],
    }),
  },
  {
    id: 'host-out-of-memory',
    codes: ['health_failed'],
    says: /^The host ran out of memory, and the container was killed/,
    explain: (_, failure) => ({
      summary: 'The host ran out of memory, and the kernel killed the app.',
      likelyCause:
        'The service has no memory limit, and its host had no free memory left: this app or another one uses more than there is.',
      suggestedFix:
        'Set memoryLimitMb, so that an app that grows ends by itself and no other does. Or give the host more memory, or move services to another host.',
      steps: [
        changeSetting('memoryLimitMb', 512),
        'free -m',
        ...(failure.what.kind === 'deployment' ? [deployAgain] : again(failure)),
      ],
    }),
  },
  {
    id: 'command-deadline',
    codes: ['deadline'],
    of: ['run'],
    explain: ({ line }, failure) => ({
      summary: 'The command exceeded its time limit and was stopped.',
      likelyCause: `${line} It does more work than its limit allows, or it hangs (waiting for input, a lock or the network).`,
      suggestedFix:
        'Read its last lines. If it was still working, give it a longer timeLimitSeconds (at most 18,000); if it hangs, run it without prompts and with timeouts of its own.',
      steps: [readLog(failure), ...again(failure)],
    }),
  },
  {
    id: 'command-interrupted',
    codes: ['runner_restarted'],
    of: ['run'],
    explain: ({ line }, failure) => ({
      summary: 'The runner of the host was restarted, which stopped the command.',
      likelyCause: line,
      suggestedFix: 'Check what the command has done so far. Run it again if it can be run twice.',
      steps: [readLog(failure), ...again(failure)],
    }),
  },
  {
    id: 'command-not-running',
    codes: ['start_failed'],
    of: ['run'],
    says: /^The command was not started, because (?<why>.+?): (?<wayOut>.+?)\. With "container"/,
    explain: ({ groups }, failure) => ({
      summary: `The command was not started, because ${groups.why}.`,
      likelyCause: 'It was to run in the running container of the service, and none runs.',
      suggestedFix: `First ${groups.wayOut}. Or let the command run in a new container ("container": "new"), if it needs no volume.`,
      steps: [showService, ...again(failure)],
    }),
  },
  {
    id: 'command-container-ended',
    codes: ['run_failed'],
    of: ['run'],
    says: /^The container ended while the command ran in it/,
    explain: ({ line }, failure) => ({
      summary: 'The container ended while the command ran in it, so the command ended, too.',
      likelyCause: line,
      suggestedFix:
        'Deployments, restarts and crashes end a command in the running container. Check what it has done so far. Run it again if it can be run twice, or in a new container ("container": "new") if it needs no volume.',
      steps: [readLog(failure), ...again(failure)],
    }),
  },
  {
    id: 'command-shared-memory',
    codes: ['run_failed'],
    of: ['run'],
    says: /^The command ended with exit code \d+\. The container, which it shares with the app, ran out of memory/,
    explain: ({ line }, failure) => ({
      summary: 'The command and the app together needed more memory than the container may use.',
      likelyCause: line,
      suggestedFix:
        'Run the command in a new container ("container": "new"), which may use as much memory again, if it needs no volume. Otherwise let it do its work in smaller parts, or raise memoryLimitMb.',
      steps: [readLog(failure), changeSetting('memoryLimitMb', 1024), ...again(failure)],
    }),
  },
  {
    id: 'command-image-gone',
    codes: ['image_gone'],
    of: ['run'],
    explain: ({ line }, failure) => ({
      summary: `The image of the live version is no longer on the host, so the ${subjectOf(failure)} could not start.`,
      likelyCause: line,
      suggestedFix: 'Deploy the service again, which makes the image anew. Then run the command again.',
      steps: [deployAgain, ...again(failure)],
    }),
  },
];
