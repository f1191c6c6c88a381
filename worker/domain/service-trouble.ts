import type { ServiceTrouble } from '../../protocol/service-trouble.ts';

/** A warning about a live version: the sentence, then the container's last lines. */
export function troubleWarning({ sentence, lastLines }: ServiceTrouble): string {
  if (lastLines.length === 0) return `${sentence} It printed no output.`;
  return `${sentence} Its last lines:\n${lastLines.join('\n')}`;
}
