/** Shows an explanation of the platform as text. */
import type { ReplyOf } from '../../client/client.ts';

export type Explanation = ReplyOf<'POST /api/deployments/:deploymentId/explain-failure'>['explanation'];

export function explanationText({ summary, likelyCause, suggestedFix, commands }: Explanation): string {
  const lines = [`What happened: ${summary}`, `Why: ${likelyCause}`, `What to do: ${suggestedFix}`];
  return [...lines, ...commands.map((command) => `  ${command}`)].join('\n');
}
