import type { ServiceTrouble } from '../../protocol/service-trouble.ts';

/** The trouble of a live version for its reader: the sentence, and below it what the container printed last. */
export function troubleWarning({ sentence, lastLines }: ServiceTrouble): string {
  if (lastLines.length === 0) return `${sentence} It printed nothing.`;
  return `${sentence} It printed last:\n${lastLines.join('\n')}`;
}
