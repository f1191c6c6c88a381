/** Out of memory, during the build or in the running app. */
import { changeSetting, deployAgain, setVariable } from './commands.ts';
import { type Failure, type FailureRule, subjectOf } from './failure.ts';
import { isFromAnalyzer } from './project-tools.ts';

/** Basis of the suggested limit for a service without one. */
const suggestedLimitMb = 1024;
const more = ({ service }: Failure) => (service.memoryLimitMb ?? suggestedLimitMb / 2) * 2;
/** Doubles a formatted number: "1,024" gives 2048. */
const twice = (limit = '') => Number(limit.replaceAll(',', '')) * 2;

export const memoryRules: readonly FailureRule[] = [
  {
    id: 'build-memory-cap',
    codes: ['build_out_of_memory'],
    says: /The build needed more than its (?<limit>[\d,]+) MB of memory and was killed(?: at "(?<step>.*)")?: /s,
    explain: ({ groups }) => ({
      summary: `The build exceeded this host's limit of ${groups.limit} MB per build and was killed.`,
      likelyCause: `${groups.step ? `The step "${groups.step}"` : 'A step'} needs more memory. The limit protects the apps on the host, which were not affected.`,
      suggestedFix:
        'Make the step use less memory (fewer workers, no source maps, a smaller heap), or raise buildMemoryMb in runner.json on the host and restart the runner. Or build elsewhere and deploy the image.',
      steps: [
        setVariable('NODE_OPTIONS', '--max-old-space-size=2048'),
        'free -m',
        `sed -i 's/"buildMemoryMb": [^,]*/"buildMemoryMb": ${twice(groups.limit)}/' /var/lib/longshore/runner/runner.json`,
        'systemctl restart longshore-runner',
        deployAgain,
      ],
    }),
  },
  {
    id: 'out-of-memory-build',
    codes: ['build_failed'],
    says: /JavaScript heap out of memory|failed with exit code 137|^Killed$|signal: killed|signal: 9, SIGKILL|Cannot allocate memory|MemoryError|java\.lang\.OutOfMemoryError/,
    explain: ({ line }, failure) => ({
      summary: 'The build ran out of memory.',
      likelyCause: `"${line}". A build step exceeded Node's heap limit, or the host had no free memory left and the kernel killed it.`,
      suggestedFix:
        'Make the step use less memory (fewer workers, no source maps), raise its heap limit, give the host more memory or swap, or build elsewhere and deploy the image.',
      steps: [
        isFromAnalyzer(failure)
          ? setVariable('NODE_OPTIONS', '--max-old-space-size=2048')
          : "sed -i '/^RUN .*build/i ENV NODE_OPTIONS=--max-old-space-size=2048' Dockerfile",
        'free -m',
        deployAgain,
      ],
    }),
  },
  {
    id: 'out-of-memory-run',
    codes: ['health_failed', 'start_failed'],
    says: /ran out of memory \(limit (?<limit>\d+) MB\)|JavaScript heap out of memory|java\.lang\.OutOfMemoryError|^MemoryError$|fatal error: runtime: out of memory/,
    explain: ({ groups, line }, failure) => ({
      summary: `The ${subjectOf(failure)} ran out of memory${failure.what.kind === 'deployment' ? ' during its start' : ''} and was killed.`,
      likelyCause: groups.limit
        ? `It needs more than its limit of ${groups.limit} MB.`
        : `The runtime reached its own memory limit: "${line}".`,
      suggestedFix:
        'Raise memoryLimitMb, or make the app use less memory: fewer worker processes, a smaller heap (NODE_OPTIONS, JAVA_TOOL_OPTIONS).',
      steps: [
        changeSetting('memoryLimitMb', more(failure)),
        setVariable('NODE_OPTIONS', `--max-old-space-size=${Math.floor(more(failure) * 0.75)}`),
        deployAgain,
      ],
    }),
  },
];
