import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';

/** A warning about a live version: the problem's message, then the container's last lines. */
export function troubleWarning({ sentence, crash, lastLines }: ServiceTrouble): string {
  if (lastLines.length === 0) return crash ? `${sentence} It printed no output.` : sentence;
  return `${sentence} Its last lines:\n${lastLines.join('\n')}`;
}

/** The message about a full database or a used port needs no explanation. */
export const isExplainable = ({ crash, cause, lastLines }: ServiceTrouble): boolean =>
  crash !== undefined || cause !== undefined || lastLines.length > 0;

/** A warning about a service with a version on a disconnected host. */
export const awayWarning =
  'The host of this service is not connected: what is shown may be outdated, and deployments wait. The live version keeps serving as long as the host runs.';
