/** Failures of fetching an uploaded folder. The messages are the runner's (jobs/parts/uploaded-source.ts, source/unpack-folder.ts). */
import { sendFolder } from './commands.ts';
import type { FailureRule } from './failure.ts';

export const uploadRules: readonly FailureRule[] = [
  {
    id: 'folder-too-large',
    codes: ['source_refused'],
    says: /^The folder is too large: (?<numbers>.*?)\./,
    explain: ({ groups }) => ({
      summary: 'The folder is too large to deploy.',
      likelyCause: `It holds files that are not source code (build output, archives, data, videos): ${groups.numbers}.`,
      suggestedFix:
        'List these files in .longshoreignore, keep them in object storage or a volume, and send the folder again.',
      steps: ['du -ah . | sort -h | tail -n 20', sendFolder],
    }),
  },
  {
    id: 'folder-refused',
    codes: ['source_refused'],
    says: /^The uploaded folder (?:was refused: (?<reason>.+?)\. Remove it|is no gzipped tar)/,
    explain: ({ groups, line }) => ({
      summary: 'The uploaded folder was refused.',
      likelyCause: groups.reason ? `In the folder, ${groups.reason}.` : line,
      suggestedFix: groups.reason
        ? 'Remove what it names, or list it in .longshoreignore. Then send the folder again.'
        : 'Send a gzipped tar archive, which "longshore up" makes by itself.',
      steps: [sendFolder],
    }),
  },
  {
    id: 'folder-damaged',
    codes: ['source_damaged', 'source_failed'],
    says: /^The uploaded folder (?:has the checksum|could not be downloaded)/,
    explain: ({ line }) => ({
      summary: 'The uploaded folder did not reach the host whole.',
      likelyCause: line,
      suggestedFix: 'Send the folder again. If it happens again, check the network of the host.',
      steps: [sendFolder],
    }),
  },
];
